"""One process of the sandbox, pydantic-monty, with the thread of the host that communicates with it, and its limits.

The interface for threads is used instead of the one for asyncio, whose threads can abort the interpreter at its exit
(pydantic-monty 1.4.0).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.contract.extras import MissingExtra
from toolgen.contract.picklable import Picklable
from toolgen.runtime.base.processes import at_fork

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

_AnswerT = TypeVar("_AnswerT")

_HAS_STAT: Final = Path("/proc/self/stat").exists()
_TICKS: Final = os.sysconf("SC_CLK_TCK")

BUSY: Final = 10 if _HAS_STAT else 1
"""How many times its limit an operation may take by the clock where its processor time is known: machines are busy."""

_PATIENCE: Final = 10.0
"""Seconds beyond its limit in which a process may be silent while it starts and has no id yet to kill it by."""

DIED: Final = "the process that ran it died"
OUT_OF_MEMORY: Final = "it exceeded its memory limit"
OUT_OF_TIME: Final = "it exceeded its time limit"

_EXHAUSTED: Final = (
    ("MemoryError", ("memory limit", "exceeded its memory limit"), OUT_OF_MEMORY),
    ("TimeoutError", ("time limit exceeded",), OUT_OF_TIME),
    ("RuntimeError", ("suspension limit",), "it used undefined names too often"),
)
"""How a process reports that a limit is exceeded: exception, words of its message, and the reason to show."""


_users: Final[set[str]] = set()
"""Who has used the library, this process or its parent: it hangs in forks of those that have (pydantic-monty 1.4.0)."""


def _inherit() -> None:
    if _users:
        _users.add("parent")


at_fork(after_in_child=_inherit)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeActLimits:
    """The resource limits of one snippet, and how much of its output is shown.

    `seconds` limits the processor time of its code, and separately that of type checking; calls do not count. By the
    clock, as where the system does not tell processor times (outside of Linux), it is at most ten times as long.
    `total_seconds` limits the total wall-clock time, including calls: a call that is still running is cancelled.
    `memory_bytes` limits its values, and the memory of the type checker. `kept_bytes` limits the variables that a host
    keeps for the next snippet. `depth` limits the call depth, `calls` the number of tool calls of one snippet,
    `argument_bytes` the total size of their arguments. `source_chars` limits the snippet, `result_chars` and
    `printed_chars` what the model is shown of the result and the output, in characters as shown: an escape of ten
    characters counts ten.

    The limits are per snippet. The host must limit how many run at a time.
    """

    seconds: float = 5.0
    total_seconds: float = 600.0
    memory_bytes: int = 256 * 1024 * 1024
    kept_bytes: int = 64 * 1024 * 1024
    depth: int = 200
    calls: int = 100
    argument_bytes: int = 16 * 1024 * 1024
    source_chars: int = 50_000
    result_chars: int = 16_000
    printed_chars: int = 8_000


class SandboxUnavailable(RuntimeError):
    """There is no sandbox, so nothing was run."""


class WorkerLost(RuntimeError):
    """The process has died, or its state is unusable, for a `reason`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class SnippetFailed(Picklable):
    """A snippet raised an exception, or is not Python that the sandbox supports.

    `line` is the number of the failing line, 0 if unknown, and `source` its text.
    """

    def __init__(self, kind: str, message: str, line: int = 0, source: str = "") -> None:
        self.kind = kind
        self.message = message
        self.line = line
        self.source = source
        super().__init__(f"{kind}: {message}")

    def moved_up(self, lines: int) -> SnippetFailed:
        """The same, in a text without that many lines before it."""
        return SnippetFailed(self.kind, self.message, max(self.line - lines, 0), self.source)


class Process:
    """One process with at most one session. `uses` counts its uses; a lost process is not used again.

    `used` is how many seconds its last operation took of the processor, or by the clock where that is not known.
    `guard` is the name at which a checker's session stops instead of running a text.
    """

    def __init__(self, seconds: float) -> None:
        """`seconds` is the maximum time of any operation, as in `call`."""
        self._request_timeout = BUSY * seconds + _PATIENCE
        self.session: MontySession | None = None
        self.pid: int | None = None
        self.guard = ""
        self.uses = 0
        self.used = 0.0
        self.is_lost = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="codeact")
        self._pool: Monty | None = None
        self._pool_stack = ExitStack()
        self._session_stack = ExitStack()

    async def call(self, seconds: float, work: Callable[..., _AnswerT], *args: Any) -> _AnswerT:
        """Run a function in the thread, for at most `seconds` of processor time, and `BUSY` times as long by the clock.

        The start of the process counts by the clock only, as all does where the system tells no processor time.
        Cancellation kills the process, so that nothing keeps running. Raises `SandboxUnavailable`, `WorkerLost`, and
        `SnippetFailed`.
        """
        begun, before = monotonic(), None if self.pid is None else self._processor_seconds()
        doing = asyncio.wrap_future(self._thread.submit(self._guarded, work, *args))
        left = max(seconds, 0.0)
        try:
            while not (await asyncio.wait([doing], timeout=left))[0]:
                passed = monotonic() - begun
                left = min(seconds - self._used_since(before, passed), BUSY * seconds - passed)
                if left <= 0:
                    await self._stop(doing)
                    raise WorkerLost(OUT_OF_TIME)
                left = max(left, 1 / _TICKS)
        except asyncio.CancelledError:
            await self._stop(doing)
            raise
        finally:
            self.used = self._used_since(before, monotonic() - begun)
        return doing.result()

    def _processor_seconds(self) -> float:
        """Return the processor time of the process, 0 after it has ended."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_bytes()
        except OSError:
            return 0.0
        user, system = stat.rpartition(b")")[2].split()[11:13]  # the name before it may have blanks
        return (int(user) + int(system)) / _TICKS

    def _used_since(self, before: float | None, passed: float) -> float:
        if not _HAS_STAT:
            return passed
        return 0.0 if before is None else min(max(self._processor_seconds() - before, 0.0), passed)

    async def end(self) -> None:
        """End the process and the thread."""
        self.is_lost = True
        try:
            await self.call(self._request_timeout, self.close)
        finally:
            self._thread.shutdown(wait=False)

    def close(self) -> None:
        """End the process and wait for it, while nothing else uses it."""
        self.session = None
        self._thread.shutdown(wait=False)
        with self._pool_stack, self._session_stack:
            pass

    def check_out(self, **options: Any) -> MontySession:
        """Open a new session in the process, in its thread. The previous one is closed."""
        self.check_in()
        session = self._session_stack.enter_context(self._started().checkout(**options))
        self.pid = session.worker_pid
        self.session = session
        return session

    def check_in(self) -> None:
        """Close the session, in the thread. The process keeps no state of it."""
        self.session = None
        self._session_stack.close()

    def _started(self) -> Monty:
        if self._pool is None:
            from pydantic_monty import Monty

            _users.add("this")
            if "parent" in _users:
                raise SandboxUnavailable(
                    "this process was forked from one that had run code, where no sandbox can start; use `spawn`"
                )
            try:
                self._pool = self._pool_stack.enter_context(
                    Monty(max_processes=1, request_timeout=self._request_timeout)
                )
            except RuntimeError as error:
                raise SandboxUnavailable("its worker process cannot be started") from error
        return self._pool

    async def _stop(self, doing: asyncio.Future[Any]) -> None:
        """Kill the process and wait until its thread has noticed."""
        self.is_lost = True
        self._kill()
        while not doing.done():
            with suppress(asyncio.CancelledError):  # already lost; its callers raise
                await asyncio.wait([doing])
        if not doing.cancelled():
            doing.exception()

    def _kill(self) -> None:
        """Kill the process. Its pool waits for a reply and has not reaped it, so its id is still valid."""
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _guarded(self, work: Callable[..., _AnswerT], *args: Any) -> _AnswerT:
        """Call a function, with the exceptions of pydantic-monty converted to those of this module."""
        try:
            import pydantic_monty as monty
        except ImportError:
            if work == self.close:
                return work(*args)
            self.is_lost = True
            raise SandboxUnavailable(str(MissingExtra("code of models needs pydantic-monty", "codeact"))) from None
        try:
            return work(*args)
        except monty.MontyCrashedError as error:
            self.is_lost = True
            raise WorkerLost(OUT_OF_TIME if error.timed_out else DIED) from error
        except (monty.MontyRuntimeError, monty.MontySyntaxError) as error:
            failure = _failure(error.exception(), error.traceback())
            self.is_lost = self.is_lost or isinstance(failure, WorkerLost)
            raise failure from None
        except (SandboxUnavailable, WorkerLost):
            self.is_lost = True
            raise


def _failure(error: BaseException, frames: list[Any]) -> Exception:
    kind, message = type(error).__name__, str(error)
    for name, words, reason in _EXHAUSTED:
        if kind == name and any(word in message for word in words):
            return WorkerLost(reason)
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    if not own:
        return SnippetFailed(kind, message)
    return SnippetFailed(kind, message, own[-1].line, (own[-1].source_line or "").strip())
