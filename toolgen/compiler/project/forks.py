"""Forks: independent parts of one command, each in a process of its own, where the system can fork and has cores."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, NoReturn, TypeVar

if TYPE_CHECKING:
    from types import FrameType

MOST: Final = 8
"""Maximum number of processes. Each takes the memory of what it makes."""

ResultT = TypeVar("ResultT")


def usable_cores() -> int:
    """Return how many cores this process may use, at most `MOST`; 1 where processes are not forked.

    That is everywhere but on Linux: macOS does not promise that its libraries work in a forked process.
    """
    return min(len(os.sched_getaffinity(0)), MOST) if sys.platform == "linux" else 1


def run_forked(parts: Sequence[Callable[[], ResultT]]) -> list[ResultT | None]:
    """Run each part in a forked process, all at once; None for one that failed, which the caller does itself.

    A part has the memory of this process, and gives back a value that can be pickled. It must not print, and must not
    need a lock that a thread of this process may hold. None is left running when this returns or raises.
    """
    running: list[_Fork[ResultT] | None] = []
    try:
        with _interrupts_held():
            for part in parts:
                running.append(_forked(part, [each.reading for each in running if each]))  # it grows
        return [None if each is None else each.result() for each in running]
    finally:
        with _interrupts_held():
            for each in running:
                if each is not None:
                    each.end()


_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _interrupts_held() -> Generator[None]:
    """Let signals that raise an error wait until the end of the context, so that no process is started and forgotten.

    Masking them would not do: a thread that does not could get one, and the main thread raises the error.
    """
    waiting: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.getsignal(number) for number in _STOPPING}
    is_main = threading.current_thread() is threading.main_thread()
    held = {number: handler for number, handler in handlers.items() if is_main and callable(handler)}
    try:
        for number in held:
            signal.signal(number, lambda received, frame: waiting.append((received, frame)))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for received, frame in waiting[:1]:
            held[signal.Signals(received)](received, frame)


@dataclass(frozen=True, slots=True)
class _Fork(Generic[ResultT]):
    """A running part: its process, and where it writes its result."""

    process: int
    reading: int

    def result(self) -> ResultT | None:
        """Return what the part gave back; None if it failed."""
        with open(self.reading, "rb", closefd=False) as stream:
            content = stream.read()
        _, status = os.waitpid(self.process, 0)
        return pickle.loads(content) if status == 0 and content else None  # noqa: S301  # of a process of this command

    def end(self) -> None:
        """End the process, if it has not ended."""
        os.close(self.reading)
        with suppress(ChildProcessError):  # its result was taken
            if os.waitpid(self.process, os.WNOHANG) == (0, 0):
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)


def _forked(part: Callable[[], ResultT], others: Iterable[int]) -> _Fork[ResultT] | None:
    """Start a process for a part; None if there can be no more. `others` is what only this process may read."""
    try:
        reading, writing = os.pipe()
    except OSError:
        return None
    try:
        process = os.fork()
        if not process:
            _run(part, writing, (reading, *others))
    except OSError:
        os.close(reading)
        return None
    finally:
        os.close(writing)
    return _Fork(process, reading)


def _run(part: Callable[[], object], writing: int, others: Iterable[int]) -> NoReturn:
    """Run a part in its own process, which ends. What goes wrong is not shown: the caller does the part again.

    If the caller is gone, nobody has the other end of `writing`, so this process ends, too.
    """
    status = 1
    try:
        for each in others:
            os.close(each)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller gets it, too, and ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with open(writing, "wb", closefd=False) as stream:
            pickle.dump(part(), stream, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)
