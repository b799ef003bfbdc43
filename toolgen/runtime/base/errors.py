"""Exceptions of the runtime, raised at startup, by codecs and by lookups. A call never raises; it returns a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import FailureKind
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.base.effects import Effect


# Exceptions that end the caller: cancellation of its task, closing of its coroutine, exit of the process.


def ends_the_caller(error: BaseException) -> bool:
    """Whether a BaseException is meant for the caller, and is not just the failure of a tool.

    A tool may await something that was cancelled, call `sys.exit`, or raise KeyboardInterrupt or GeneratorExit, also in
    groups: none of these ends the host. What a handler of a signal raises does, such as `sys.exit` on SIGTERM, wherever
    the signal arrives, and so does a cancellation of the task.

    Call it in the `except` clause of the coroutine that caught the error.
    """
    if isinstance(error, GeneratorExit):
        return _is_closed(error)
    left = [error]
    while left:  # groups may be nested deeper than functions can be
        each = left.pop()
        if _is_group(each):
            left += each.exceptions
        elif _ends_the_task(each):
            return True
    return False


def _ends_the_task(error: BaseException) -> bool:
    from asyncio import CancelledError, current_task  # slow to import, and rarely needed

    if isinstance(error, CancelledError):
        task = current_task()
        return task is None or task.cancelling() > 0
    return _is_of_signal(error) or (isinstance(error, KeyboardInterrupt) and _ctrl_c_raises())


def _ctrl_c_raises() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt here, and leaves no frame by which it is known.

    That is so in the main thread where Python's own handler of SIGINT is left in place. Event loops that `asyncio.run`
    starts have another one, and so have servers and workers.
    """
    import signal
    import threading  # as above

    handler = signal.getsignal(signal.SIGINT)
    return threading.current_thread() is threading.main_thread() and callable(handler) and _code_of(handler) is None


def _is_of_signal(error: BaseException) -> bool:
    """Whether a handler of a signal raised an error: it has a frame in the traceback."""
    import signal  # rarely needed

    handlers = {code for number in signal.valid_signals() if (code := _code_of(signal.getsignal(number))) is not None}
    frames = error.__traceback__
    while handlers and frames is not None:
        if frames.tb_frame.f_code in handlers:
            return True
        frames = frames.tb_next
    return False


def _code_of(handler: Any) -> Any:
    """Return the code of a handler of signals; None for the default, and for one that is not written in Python."""
    if (of_partial := getattr(handler, "func", None)) is not None:
        return _code_of(of_partial)
    found = handler if hasattr(handler, "__code__") else getattr(handler, "__call__", None)  # noqa: B004  # not called
    return getattr(found, "__code__", None)


def _is_closed(error: GeneratorExit) -> bool:
    """Whether the coroutine that caught the error is being closed.

    If it is, its awaitable was closed before, and the error is raised again in it (PEP 380), so the traceback has no
    other frame. The traceback of an error that a tool raised has further frames.
    """
    return error.__traceback__ is None or error.__traceback__.tb_next is None


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)


class InvalidPayload(Picklable, ValueError):
    """A payload does not fit its schema. `issues` lists the errors, up to a limit; it is never empty."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("; ".join(f"{issue.pointer or 'the payload'}: {issue.hint}" for issue in self.issues))


class MalformedResult(InvalidPayload):
    """A tool's result does not fit its result schema."""


class ToolNotFound(Picklable, LookupError):
    """No tool has that name. `suggestions` are the closest idents, best first."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        self.name = name
        self.suggestions = tuple(suggestions)
        meant = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"no tool is named {cut(name, 100)!r}{meant}")


class UnknownAgent(Picklable, LookupError):
    """No agent has that name. `suggestions` are the closest names, best first."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        self.name = name
        self.suggestions = tuple(suggestions)
        meant = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"there is no agent {cut(name, 100)!r}{meant}")


class ToolUnavailable(Picklable, RuntimeError):
    """The tool exists, but no executor of this runtime runs it."""

    def __init__(self, name: str, toolset: str) -> None:
        self.name = name
        self.toolset = toolset
        super().__init__(f"{name} is unavailable: this runtime has no executor for the toolset {toolset}")


class PermissionDenied(Picklable, RuntimeError):
    """Permission for the call was denied. `proposal` are args that a person would allow, as JSON text, if any."""

    def __init__(self, name: str, reason: str, proposal: str = "") -> None:
        self.name = name
        self.reason = reason
        self.proposal = proposal
        super().__init__(f"{name} was not allowed to run: {reason}")


class PermissionFailed(PermissionDenied):
    """The permission callback failed or timed out."""


class HookDenied(PermissionDenied):
    """A hook of the host denied the call before permission was requested."""


class GateRefused(PermissionDenied):
    """The eval gate refused the call. Only the reason is sent to the model."""


class ToolRateLimited(Picklable, RuntimeError):
    """The rate limit of a tool is exceeded, or a tool with limits per user was called without a user.

    `retry_after` is in seconds; None if waiting does not help.
    """

    def __init__(self, name: str, retry_after: float | None) -> None:
        self.name = name
        self.retry_after = retry_after
        why = "the tool has limits per user, and the call has no user" if retry_after is None else "rate limit exceeded"
        super().__init__(f"{name} cannot run: {why}")


class TimedOut(Picklable, TimeoutError):
    """The tool exceeded its timeout. `effect` is that of a call that must not be repeated blindly."""

    def __init__(self, seconds: float, effect: Effect | None = None) -> None:
        self.seconds = seconds
        self.effect = effect
        super().__init__(f"the tool timed out after {seconds:g} s")


class RunStopped(Picklable, RuntimeError):
    """The call was ended, or not started, because its run was aborted.

    `reports` are its progress reports, `effect` that of a started call that must not be repeated blindly.
    """

    def __init__(self, reason: str, reports: Iterable[Mapping[str, Any]] = (), effect: Effect | None = None) -> None:
        self.reason = reason
        self.reports = tuple(reports)
        self.effect = effect
        super().__init__("aborted")


class RunEnded(RuntimeError):
    """The call was not made, because its run has ended."""


class TurnEnded(RuntimeError):
    """The call was skipped because an earlier call of the turn failed or was denied."""


class CallFailed(Picklable, RuntimeError):
    """Raised by a handler to fail its call with a kind, a code of its choice, a message and a hint.

    All of it is sent to the model: include no secrets and no paths of the host.
    """

    def __init__(self, kind: FailureKind, code: str, message: str, hint: str = "") -> None:
        self.kind = kind
        self.code = code
        self.message = message
        self.hint = hint
        super().__init__(message)


def rejected(code: str, message: str, hint: str = "") -> CallFailed:
    """Say that a call was understood, and cannot be done."""
    return CallFailed(FailureKind.DOMAIN_REJECTION, code, message, hint)


class CatalogError(ValueError):
    """A package cannot be loaded, or a tool cannot be registered. The message says what to change."""


class ExecutorError(ValueError):
    """A runtime cannot be built from these executors. The message names the toolset and what is missing."""


class TypesDisagree(RuntimeError):
    """A tool's generated types cannot hold a value that its schema accepts: the package does not match the catalog."""


class ArtifactError(RuntimeError):
    """An artifact cannot be stored or read. The message contains no path."""


class ArtifactNotFound(LookupError):
    """There is no artifact with that ref, or the ref is malformed."""
