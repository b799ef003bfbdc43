"""Workers: a sandbox for one snippet. Only text crosses its border: code in, calls and results as JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.llm.sandbox.process import BUSY, WorkerLost

if TYPE_CHECKING:
    from pydantic_monty import FunctionSnapshot, MontySession, ResourceLimits, SyncSnapshot

    from toolgen.llm.sandbox.process import CodeActLimits, Process

_AnswerT = TypeVar("_AnswerT")

_LOOKUPS: Final = 1000
"""Maximum suspensions of a snippet other than calls: undefined names, and operating system functions."""

_GRACE: Final = 0.25
"""Seconds beyond the limit, in which a session may be closed."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """A snippet that waits for the result of a call.

    `arguments` is JSON text. `is_bound` is False if code called an undefined name.
    """

    function: str
    arguments: str
    snapshot: FunctionSnapshot
    is_bound: bool = True


@dataclass(frozen=True, slots=True)
class Finished:
    """A snippet that ran to its end, and the value of its last expression."""

    value: Any


class Worker:
    """A session of a process, for one snippet. `WorkerPool.worker` opens and closes it."""

    def __init__(self, process: Process, limits: CodeActLimits, border: str) -> None:
        self._process = process
        self._limits = limits
        self._border = border
        self._argument_bytes = 0
        self._is_at_end = False
        self._seconds = limits.seconds + _GRACE

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    async def open(self, state: bytes | None) -> None:
        """Start empty, or with the variables in `state`."""
        await self._timed(self._open, state)

    async def close(self) -> None:
        """End the session; the process is reused only if its last operation was reading the variables."""
        if not self._is_at_end:
            self._process.is_lost = True
            return
        with suppress(WorkerLost):  # the process stores it
            await self._process.call(_GRACE, self._process.check_in)

    async def feed(self, code: str, printed: Callable[[str], None]) -> Suspended | Finished:
        """Run code until it makes a call or ends; `printed` receives its output, in another thread.

        Raises `SnippetFailed` and `WorkerLost`.
        """
        return await self._timed(self._feed, code, printed)

    async def resume(self, call: Suspended, result: str) -> Suspended | Finished:
        """Continue with the result of a call, as JSON text. Raises as `feed` does."""
        return await self._timed(self._run_on, partial(call.snapshot.resume, {"return_value": result}))

    async def throw(self, call: Suspended, exception: BaseException) -> Suspended | Finished:
        """Continue with a builtin exception from a call. Raises as `feed` does."""
        return await self._timed(self._run_on, partial(call.snapshot.resume, {"exception": exception}))

    async def state(self) -> bytes:
        """Return the variables, as opaque bytes for other workers."""
        variables = await self._timed(lambda: self._session.dump())
        self._is_at_end = True
        return variables

    async def _timed(self, work: Callable[..., _AnswerT], *args: Any) -> _AnswerT:
        try:
            return await self._process.call(self._seconds, work, *args)
        finally:
            self._seconds -= self._process.used

    @property
    def _session(self) -> MontySession:
        assert self._process.session is not None
        return self._process.session

    def _open(self, state: bytes | None) -> None:
        limits: ResourceLimits = {
            "max_feed_duration_secs": BUSY * self._limits.seconds,  # it counts by the clock
            "max_memory": self._limits.memory_bytes,
            "max_recursion_depth": self._limits.depth,
            "max_suspensions": self._limits.calls + _LOOKUPS,
        }
        session = self._process.check_out(limits=limits)
        if state is not None:
            session.load_session(state)

    def _feed(self, code: str, printed: Callable[[str], None]) -> Suspended | Finished:
        return self._run_on(partial(self._session.feed_start, code, print_callback=lambda _stream, text: printed(text)))

    def _run_on(self, start: Callable[[], SyncSnapshot]) -> Suspended | Finished:
        """Run until a call of a tool or of an undefined name; all other requests of a snippet fail."""
        import pydantic_monty as monty

        snapshot = start()
        while not isinstance(snapshot, monty.MontyComplete):
            match snapshot:
                case monty.FunctionSnapshot(is_os_function=True):
                    snapshot = snapshot.resume_not_handled()
                case monty.FunctionSnapshot(function_name="import", args=args):
                    snapshot = snapshot.resume({"exception": ModuleNotFoundError(f"there is no module {args[0]!r}")})
                case monty.FunctionSnapshot(function_name=name, args=args):
                    match args:
                        case (str(function), str(arguments)) if name == self._border:
                            self._count(function, arguments)
                            return Suspended(function, arguments, snapshot)
                        case _:
                            return Suspended(name, "{}", snapshot, is_bound=False)
                case monty.NameLookupSnapshot():
                    snapshot = snapshot.resume()
                case _:
                    raise WorkerLost("it waits for something that never happens")
        return Finished(snapshot.output)

    def _count(self, *texts: str) -> None:
        self._argument_bytes += sum(len(text.encode(errors="surrogatepass")) for text in texts)
        if self._argument_bytes > self._limits.argument_bytes:
            raise WorkerLost(f"the arguments of its calls exceeded {self._limits.argument_bytes} bytes")
