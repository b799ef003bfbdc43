"""Ending a process, whatever the code does that it runs.

An event loop that is blocked hears no signal, a call may ignore that it is cancelled, and a thread cannot be: Python
would wait for it for ever.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import thread as pool
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from traceback import walk_stack
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.cli.exit_codes import STOPPED
from toolgen.runtime.base.errors import ends_the_caller
from toolgen.runtime.redact.exceptions import class_name
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from types import FrameType

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

TO_STOP: Final = 10.0
"""Seconds for a process to end what runs after its grace, and to write what is left."""

_LOOK_SECONDS: Final = 0.02
"""Seconds between two looks at the threads that a process waits for."""

_IDLE: Final = frozenset({"_worker", "wait", "_wait_for_tstate_lock", "select", "poll", "accept"})
"""Functions in which threads wait for work, or for each other."""

_POOL: Final = pool.__file__


# Servers and workers: after a signal.


@contextmanager
def ended_within(seconds: float, on_signal: Callable[[], object], running: Callable[[], list[str]]) -> Generator[None]:
    """Call `on_signal` at SIGTERM or SIGINT, as a context, and end the process so many seconds later if it still runs.

    Both happen in a thread of their own. What still runs is then written to stderr: what `running` says, and where
    threads are. The exit code is 1. Must be used in the main thread.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def note(number: int, _frame: FrameType | None) -> None:
        os.write(writing, bytes([number]))

    def watch() -> None:
        while (received := os.read(reading, 1)) and received[0] not in _SIGNALS:
            pass
        if received:
            on_signal()
            threading.Event().wait(seconds)  # if the process ends in time, this thread ends with it
            cut_off(running())

    threading.Thread(target=watch, name="toolgen-ending", daemon=True).start()
    # The system writes the number of a signal there at once, also while the main thread runs no Python.
    replaced = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(replaced)


@contextmanager
def end_of_process(running: Callable[[], list[str]], code: int = 1) -> Generator[Callable[[], None]]:
    """Return a function that lets the process end `TO_STOP` seconds later, if the context has not ended by then.

    It can be called several times.
    """
    begun, ended = threading.Event(), threading.Event()

    def watch() -> None:
        if not ended.wait(TO_STOP):
            cut_off(running(), code)

    def begin() -> None:
        if not begun.is_set():
            begun.set()
            threading.Thread(target=watch, name="toolgen-end", daemon=True).start()

    try:
        yield begin
    finally:
        ended.set()


def cut_off(running: list[str], code: int = 1) -> None:
    """End the process now, with an exit code, and what still runs on stderr."""
    _end([*running, *(_place(thread, frame) for thread, frame in _left() if _works(frame))], code)


# Event loops of commands that make calls.


if sys.platform == "win32":  # where no other loop starts programs
    _UsualLoop = asyncio.ProactorEventLoop
else:
    _UsualLoop = asyncio.SelectorEventLoop


class _Loop(_UsualLoop):
    """An event loop that goes on where a task or callback of a tool raises what ends a program, such as SystemExit.

    asyncio lets these two exceptions out of the loop, past whoever waits for the task. They end `main`, which is what
    the command does, if a signal has caused them, or `main` itself raised them.
    """

    main: asyncio.Task[Any] | None = None

    def run_forever(self) -> None:
        while True:
            try:
                return super().run_forever()
            except (KeyboardInterrupt, SystemExit) as error:
                if self.main is None or self.main.done() or ends_the_caller(error):
                    raise
                warn("a task of a tool raised %s, which ends no server and no command", class_name(error), error=error)


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run the work of a command that makes calls, as `asyncio.run` does, whatever tasks of tools raise."""

    async def main() -> T:
        loop.main = asyncio.current_task()
        return await work

    loop = _Loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main())


# Commands that make calls and end: after their last one.


class _Threads(ThreadPoolExecutor):
    """The threads of an event loop whose end waits for none of them."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)


def run_calls(work: Coroutine[Any, Any, T]) -> T:
    """Run what makes calls, as `asyncio.run` does, but do not wait for threads of handlers: `end_in_time` does.

    What still runs `TO_STOP` seconds after Ctrl-C is cut off. Must be used in the main thread.
    """

    async def run() -> T:
        asyncio.get_running_loop().set_default_executor(_Threads(thread_name_prefix="asyncio"))
        cancel = signal.getsignal(signal.SIGINT)

        def stop(number: int, frame: FrameType | None) -> None:
            end()
            if callable(cancel):  # it is asyncio's
                cancel(number, frame)

        signal.signal(signal.SIGINT, stop)
        try:
            return await work
        finally:
            signal.signal(signal.SIGINT, cancel)

    with end_of_process(list, STOPPED) as end:
        return run_loop(run())


def end_in_time(code: int) -> None:
    """Return once no thread holds up the end of the process. After `TO_STOP` seconds, or at Ctrl-C, end it with `code`.

    Must be called in the main thread when all else is done.
    """
    until = monotonic() + TO_STOP
    try:
        while any(_left()):
            if monotonic() > until:
                break
            threading.Event().wait(_LOOK_SECONDS)
        else:
            return
    except KeyboardInterrupt:
        pass
    with end_of_process(list, code) as end:
        end()
        # Records and telemetry are written, as at any other end.
        atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # nothing public runs them
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # it is closed, or nobody reads it any more
                stream.flush()
        _end([_place(thread, frame) for thread, frame in _left()], code)


def _end(left: list[str], code: int) -> None:
    said = ", ".join(left) or "nothing that can be named"
    os.write(2, f"cut off: {said}\n".encode(errors="backslashreplace"))
    os._exit(code)


# Threads.


def _left() -> Iterator[tuple[threading.Thread, FrameType]]:
    """Yield the threads that the process would wait for, and where they are; not those of pools that wait for work."""
    frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # documented
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)
        if thread.daemon or thread is threading.current_thread() or frame is None:
            continue
        if not (frame.f_code.co_name == "_worker" and frame.f_code.co_filename == _POOL):
            yield thread, frame


def _works(frame: FrameType) -> bool:
    """Return whether a thread does more than wait for work: it does what a pool was given, or waits for nothing."""
    in_pool = any(outer.f_code.co_filename == _POOL for outer, _ in walk_stack(frame))
    return in_pool or frame.f_code.co_name not in _IDLE


def _place(thread: threading.Thread, frame: FrameType) -> str:
    """Return where a thread is: in the innermost function that is not one of `threading`."""
    outer = (each for each, _ in walk_stack(frame) if each.f_code.co_filename != threading.__file__)
    place = next(outer, frame)
    return f"{thread.name} in {place.f_code.co_qualname} ({Path(place.f_code.co_filename).name}:{place.f_lineno})"
