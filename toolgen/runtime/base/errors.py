"""What the runtime raises: at start, from codecs, and from direct lookups. Nothing of it escapes a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.contract.records import FailureKind, Issue


class InvalidPayload(ValueError):
    """A payload does not fit its schema. `issues` names what is wrong, up to a bound; it is never empty."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("; ".join(f"{issue.pointer or 'the payload'}: {issue.hint}" for issue in self.issues))

    def __reduce__(self) -> tuple[type[InvalidPayload], tuple[tuple[Issue, ...]]]:
        return (type(self), (self.issues,))


class MalformedResult(InvalidPayload):
    """What a tool gave does not fit its result schema."""


class ToolNotFound(LookupError):
    """No tool has that name. `suggestions` are the nearest idents, best first."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        self.name = name
        self.suggestions = tuple(suggestions)
        meant = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"no tool is named {name!r}{meant}")

    def __reduce__(self) -> tuple[type[ToolNotFound], tuple[str, tuple[str, ...]]]:
        return (ToolNotFound, (self.name, self.suggestions))


class UnknownAgent(LookupError):
    """No agent has that name. `suggestions` are the nearest, best first."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        self.name = name
        self.suggestions = tuple(suggestions)
        meant = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"there is no agent {name!r}{meant}")

    def __reduce__(self) -> tuple[type[UnknownAgent], tuple[str, tuple[str, ...]]]:
        return (UnknownAgent, (self.name, self.suggestions))


class ToolUnavailable(RuntimeError):
    """A tool is known, and nothing here runs it."""

    def __init__(self, name: str, toolset: str) -> None:
        self.name = name
        self.toolset = toolset
        super().__init__(f"{name} cannot run here: no executor of the toolset {toolset} runs it")

    def __reduce__(self) -> tuple[type[ToolUnavailable], tuple[str, str]]:
        return (ToolUnavailable, (self.name, self.toolset))


class PermissionDenied(RuntimeError):
    """A call was not allowed to run."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(f"{name} was not allowed to run: {reason}")

    def __reduce__(self) -> tuple[type[PermissionDenied], tuple[str, str]]:
        return (type(self), (self.name, self.reason))


class PermissionFailed(PermissionDenied):
    """The host was asked, and did not answer: in time, or at all."""


class HookDenied(PermissionDenied):
    """A hook of the host ended a call before anybody was asked."""


class GateRefused(PermissionDenied):
    """The eval gate found a call not worth its cost. The reason is all that a model is shown."""


class ToolRateLimited(RuntimeError):
    """A user called a tool too often, or a tool with limits per user was called without one.

    `retry_after` is in seconds; None where waiting does not help.
    """

    def __init__(self, name: str, retry_after: float | None) -> None:
        self.name = name
        self.retry_after = retry_after
        why = "it has limits per user, and there is no user" if retry_after is None else "its limit is used up"
        super().__init__(f"{name} cannot run now: {why}")

    def __reduce__(self) -> tuple[type[ToolRateLimited], tuple[str, float | None]]:
        return (ToolRateLimited, (self.name, self.retry_after))


class TimedOut(TimeoutError):
    """A tool took longer than it may."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the tool took longer than {seconds:g} s")

    def __reduce__(self) -> tuple[type[TimedOut], tuple[float]]:
        return (TimedOut, (self.seconds,))


class RunStopped(RuntimeError):
    """A call ended, or never began, because somebody aborted its run. `reports` are what it said of its progress."""

    def __init__(self, reason: str, reports: Iterable[Mapping[str, Any]] = ()) -> None:
        self.reason = reason
        self.reports = tuple(reports)
        super().__init__("aborted")

    def __reduce__(self) -> tuple[type[RunStopped], tuple[str, tuple[Mapping[str, Any], ...]]]:
        return (RunStopped, (self.reason, self.reports))


class TurnEnded(RuntimeError):
    """A call never had its turn: one before it failed, or was denied."""


class CallFailed(RuntimeError):
    """What a handler raises to end its call with a kind, an open code, a message and a hint of its own.

    All of it is shown to a model, so that it names no path of the host and no secret.
    """

    def __init__(self, kind: FailureKind, code: str, message: str, hint: str = "") -> None:
        self.kind = kind
        self.code = code
        self.message = message
        self.hint = hint
        super().__init__(message)

    def __reduce__(self) -> tuple[type[CallFailed], tuple[FailureKind, str, str, str]]:
        return (CallFailed, (self.kind, self.code, self.message, self.hint))


class CatalogError(ValueError):
    """A package cannot be loaded, or a tool cannot be registered. The text says what to change."""


class ExecutorError(ValueError):
    """A runtime cannot be built from these executors. The text names the toolset and what it lacks."""


class TypesDisagree(RuntimeError):
    """The types of a tool cannot hold a value that its schema accepts: the package was not built from this catalog."""


class ArtifactError(RuntimeError):
    """An artifact cannot be kept or given back. The text names no path."""


class ArtifactNotFound(LookupError):
    """Nothing is kept under that ref; or it is no ref."""
