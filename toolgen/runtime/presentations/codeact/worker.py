"""Workers: a process in which a snippet runs, apart from the host, and the thread of the host that talks to it.

The processes are pydantic-monty's. Only text crosses the border: code goes in, calls and results come out as JSON.
Its interface for threads is used, and not the one for asyncio, whose threads can abort the interpreter as it ends
(pydantic-monty 1.4.0).
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from toolgen.runtime.presentations.codeact.sandbox_code import CALL, CHECKED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_monty import FunctionSnapshot, Monty, MontySession, ResourceLimits, SyncSnapshot

    from toolgen.runtime.presentations.codeact.limits import CodeActLimits

_AnswerT = TypeVar("_AnswerT")

_PATIENCE: Final = 10.0
"""Seconds beyond its own limit that a worker may say nothing: it is checking types, or it hangs and is killed."""

_LOOKUPS: Final = 1000
"""Suspensions of a snippet beside its calls: names that it looks up in vain, what it asks of an operating system."""

_EXHAUSTED: Final = (
    ("MemoryError", ("memory limit", "exceeded its memory limit"), "it needed more memory than it may have"),
    ("TimeoutError", ("time limit exceeded",), "it took more time than it may take"),
    ("RuntimeError", ("suspension limit",), "it asked too often for what is not there"),
)
"""How the worker says that a limit is exceeded: exception, words of its message, and what it means."""


class SandboxUnavailable(RuntimeError):
    """There is no sandbox, so nothing was run."""


class WorkerLost(RuntimeError):
    """The worker is gone, or what is in it is not to be used any more; the message says why."""


class SnippetFailed(Exception):
    """A snippet raised, or is no Python that the sandbox knows.

    `line` is the number of the line that was reached, 0 if none is known, and `source` its text.
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


@dataclass(frozen=True, slots=True)
class Objection:
    """Something that the type checker says. `line` counts from 1 in the text that was checked."""

    line: int
    rule: str
    message: str

    def moved_up(self, lines: int) -> Objection:
        """The same, in a text without that many lines before it."""
        return replace(self, line=self.line - lines)


@dataclass(frozen=True, slots=True)
class Suspended:
    """A snippet that waits for the result of a call. `arguments` is JSON text."""

    function: str
    arguments: str
    snapshot: FunctionSnapshot


@dataclass(frozen=True, slots=True)
class Finished:
    """A snippet that ran to its end, and the value of its last expression."""

    value: Any


class Worker:
    """One worker process, for as long as the context lasts. Whatever ends the context ends the process.

    Entering it raises `SandboxUnavailable`. All else raises `WorkerLost` where the process is gone or spent.
    """

    def __init__(self, limits: CodeActLimits) -> None:
        self._limits = limits
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="codeact")
        self._stack = ExitStack()
        self._argument_bytes = 0
        self._pool: Monty | None = None
        self._session: MontySession | None = None
        self._pid: int | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, once something was fed to it."""
        return self._pid

    async def __aenter__(self) -> Self:
        try:
            await self._in_thread(self._start)
        except BaseException:  # whoever is cancelled here leaves no process either, and it is raised anew
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_raised: object) -> None:
        try:
            await self._in_thread(self._stack.close)
        finally:
            self._thread.shutdown(wait=False)

    async def check(self, types: str, code: str) -> list[Objection]:
        """Say what the type checker has against code, given the declarations in `types`. Nothing of it is run.

        Raises `SnippetFailed` for a syntax error.
        """
        try:
            return await self._in_thread(self._check, types, code)
        except SnippetFailed as failure:
            raise failure.moved_up(1) from None

    async def open(self, state: bytes | None) -> None:
        """Begin anew, or with the variables that `state` holds."""
        await self._in_thread(self._open, state)

    async def feed(self, code: str, printed: Callable[[str], None]) -> Suspended | Finished:
        """Run code until it calls or ends; `printed` is given its output, in another thread. Raises `SnippetFailed`."""
        return await self._in_thread(self._feed, code, printed)

    async def resume(self, call: Suspended, result: str) -> Suspended | Finished:
        """Go on with the result of a call, as JSON text. Raises `SnippetFailed`."""
        return await self._in_thread(self._run_on, partial(call.snapshot.resume, {"return_value": result}))

    async def throw(self, call: Suspended, exception: BaseException) -> Suspended | Finished:
        """Go on with an exception from a call: one of the builtin ones. Raises `SnippetFailed`."""
        return await self._in_thread(self._run_on, partial(call.snapshot.resume, {"exception": exception}))

    async def state(self) -> bytes:
        """The variables, as bytes that mean something to workers only."""
        return await self._in_thread(self._open_session.dump)

    async def _in_thread(self, work: Callable[..., _AnswerT], *args: Any) -> _AnswerT:
        """Have the thread do something. Whoever cancels that kills the process, and nothing is left that still runs."""
        doing = asyncio.wrap_future(self._thread.submit(self._guarded, work, *args))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self._kill()
            while not doing.done():
                with suppress(asyncio.CancelledError):  # it has been told already, and raises below
                    await asyncio.wait([doing])
            doing.exception()
            raise

    def _kill(self) -> None:
        """End the process at once. Its pool waits for a reply and has not reaped it: its id is still its own."""
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _guarded(self, work: Callable[..., _AnswerT], *args: Any) -> _AnswerT:
        """Do it, with the worker's exceptions told as this module's own."""
        try:
            import pydantic_monty as monty
        except ImportError:
            if work == self._stack.close:
                return work(*args)
            raise SandboxUnavailable(
                "the package pydantic-monty is not installed; the extra `codeact` brings it"
            ) from None
        try:
            return work(*args)
        except monty.MontyCrashedError as error:
            reason = "it did not answer and was killed" if error.timed_out else "the process that ran it died"
            raise WorkerLost(reason) from error
        except (monty.MontyRuntimeError, monty.MontySyntaxError) as error:
            raise _failure(error.exception(), error.traceback()) from None

    def _start(self) -> None:
        from pydantic_monty import Monty

        try:
            self._pool = self._stack.enter_context(
                Monty(max_processes=1, request_timeout=self._limits.seconds + _PATIENCE)
            )
        except RuntimeError as error:
            raise SandboxUnavailable("its worker process does not start") from error

    @property
    def _open_session(self) -> MontySession:
        assert self._session is not None
        return self._session

    def _check_out(self, **options: Any) -> MontySession:
        """Give the one process to a new session, and take it from the one before."""
        assert self._pool is not None
        limits: ResourceLimits = {
            "max_feed_duration_secs": self._limits.seconds,
            "max_memory": self._limits.memory_bytes,
            "max_recursion_depth": self._limits.depth,
            "max_suspensions": self._limits.calls + _LOOKUPS,
        }
        session = self._stack.enter_context(self._pool.checkout(limits=limits, **options))
        self._pid = session.worker_pid
        return session

    def _check(self, types: str, code: str) -> list[Objection]:
        import pydantic_monty as monty

        assert self._pool is not None
        with self._pool.checkout(
            limits={"max_memory": self._limits.memory_bytes},
            type_check=True,
            type_check_stubs=types,
            type_check_format="json",
        ) as session:
            self._pid = session.worker_pid
            try:
                session.feed_start(f"{CHECKED}()\n{code}")
            except monty.MontyTypingError as error:
                found: list[dict[str, Any]] = json.loads(error.display())
                return [Objection(each["location"]["row"] - 1, each["name"], each["message"]) for each in found]
            return []

    def _open(self, state: bytes | None) -> None:
        self._session = self._check_out()
        if state is not None:
            self._session.load_session(state)

    def _feed(self, code: str, printed: Callable[[str], None]) -> Suspended | Finished:
        return self._run_on(
            partial(self._open_session.feed_start, code, print_callback=lambda _stream, text: printed(text))
        )

    def _run_on(self, start: Callable[[], SyncSnapshot]) -> Suspended | Finished:
        """Run until a call of a tool; all else that a snippet may ask for, there is not."""
        import pydantic_monty as monty

        snapshot = start()
        while not isinstance(snapshot, monty.MontyComplete):
            match snapshot:
                case monty.FunctionSnapshot(is_os_function=True):
                    snapshot = snapshot.resume_not_handled()
                case monty.FunctionSnapshot(function_name=name, args=args):
                    match args:
                        case (str(function), str(arguments)) if name == CALL:
                            self._count(function, arguments)
                            return Suspended(function, arguments, snapshot)
                        case _:
                            snapshot = snapshot.resume({"exception": NameError(f"name {name!r} is not defined")})
                case monty.NameLookupSnapshot():
                    snapshot = snapshot.resume()
                case _:
                    raise WorkerLost("it waits for something that never comes")
        return Finished(snapshot.output)

    def _count(self, *texts: str) -> None:
        self._argument_bytes += sum(len(text.encode(errors="surrogatepass")) for text in texts)
        if self._argument_bytes > self._limits.argument_bytes:
            raise WorkerLost(f"its calls were given more than {self._limits.argument_bytes} bytes")


def _failure(error: BaseException, frames: list[Any]) -> Exception:
    kind, message = type(error).__name__, str(error)
    for name, words, reason in _EXHAUSTED:
        if kind == name and any(word in message for word in words):
            return WorkerLost(reason)
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    if not own:
        return SnippetFailed(kind, message)
    return SnippetFailed(kind, message, own[-1].line, (own[-1].source_line or "").strip())
