"""Forks: independent parts of one command, each in a process of its own, where the system can fork and has cores."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Generic, NoReturn, TypeVar

from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from types import FrameType

MOST: Final = 4
"""Maximum number of processes: each needs memory, and a third of a build is not divided, so that more gain little."""

_LOOK_AGAIN: Final = 200
"""Milliseconds after which interrupts have an effect at the latest."""

ResultT = TypeVar("ResultT")


def usable_cores() -> int:
    """Return how many cores this process may use, at most `MOST`; 1 where processes are not forked.

    That is everywhere but on Linux: macOS does not promise that its libraries work in a forked process.
    """
    if sys.platform != "linux":
        return 1
    with suppress(OSError):
        groups = Path("/proc/self/cgroup").read_text("utf-8", "replace")
        return max(1, min(len(os.sched_getaffinity(0)), MOST, *map(int, quotas(Path("/sys/fs/cgroup"), groups))))
    return 1


def quotas(root: Path, groups: str) -> Iterator[float]:
    """Yield the limits of control groups, of which a container is one: how many cores' time each may use at most.

    `root` is where they are mounted, `groups` is what `/proc/self/cgroup` has. See cgroups(7) and, in the documentation
    of the kernel, `cpu.max` of version 2, and `cpu.cfs_quota_us` of version 1.
    """
    for line in lines_of(groups):
        _, kinds, path = [*line.split(":", 2), "", ""][:3]
        if kinds and "cpu" not in kinds.split(","):
            continue
        inner = Path(path.strip("/"))
        for group in (inner, *inner.parents):  # a limit of any group around holds, too
            folder = root / "cpu" / group if kinds else root / group
            with suppress(OSError, ValueError):  # `max` in place of a quota: there is no limit
                quota, period = map(int, (folder / "cpu.max").read_text("ascii").split())
                yield quota / period
            with suppress(OSError, ValueError):
                quota = int((folder / "cpu.cfs_quota_us").read_text("ascii"))
                if quota > 0:
                    yield quota / int((folder / "cpu.cfs_period_us").read_text("ascii"))


def run_forked(parts: Sequence[Callable[[], ResultT]]) -> list[ResultT | None]:
    """Run each part in a forked process, all at once, as `forked` does, and wait for what they give back."""
    running: list[_Fork[ResultT] | None] = []
    try:  # here too: an interrupt between a context manager and its `with` would leave the processes to the collector
        _start(parts, running)
        return _results(running)
    finally:
        _end(running)


@contextmanager
def forked(parts: Sequence[Callable[[], ResultT]]) -> Generator[Callable[[], list[ResultT | None]]]:
    """Run each part in a forked process, all at once, beside the context, which gets a function that waits for them.

    It returns what they give back; None for one that failed, which the caller does itself. A part has the memory of
    this process, and gives back a value that can be pickled. It must not print, and must not need a lock that a thread
    of this process may hold, such as that of a module which the thread imports. None is left running after the context.
    """
    running: list[_Fork[ResultT] | None] = []
    try:
        _start(parts, running)
        yield partial(_results, running)
    finally:
        _end(running)


def _start(parts: Sequence[Callable[[], ResultT]], running: list[_Fork[ResultT] | None]) -> None:
    """Start a process for each part, and add them to those that are running."""
    with _interrupts_held():
        for part in parts:
            running.append(_forked(part, [each.reader for each in running if each]))  # it grows


def _results(running: Sequence[_Fork[ResultT] | None]) -> list[ResultT | None]:
    return [None if each is None else each.result() for each in running]


def _end(running: Iterable[_Fork[Any] | None]) -> None:
    with _interrupts_held():
        for each in running:
            if each is not None:
                each.end()


_STOPPING: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


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
    """A running part: its process, and where its result comes from."""

    process: int
    reader: BinaryIO

    def result(self) -> ResultT | None:
        """Wait for what the part gives back; None if it fails."""
        self._wait()
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            result: ResultT = pickle.load(self.reader)  # noqa: S301  # by a fork of this process
            return result
        return None

    def _wait(self) -> None:
        """Wait until there is something to read, or nothing any more.

        An interrupt that comes right before a read of nothing would have no effect until its end.
        """
        poll = select.poll()
        poll.register(self.reader, select.POLLIN)
        while not poll.poll(_LOOK_AGAIN):
            pass

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.reader.close()
        with suppress(ChildProcessError):  # ended, where nobody waits for such
            if os.waitpid(self.process, os.WNOHANG) == (0, 0):
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)


def _forked(part: Callable[[], ResultT], others: Iterable[BinaryIO]) -> _Fork[ResultT] | None:
    """Start a process for a part; None if there can be no more. `others` is what only this process may read."""
    try:
        ends = os.pipe()
    except OSError:
        return None
    reader, writer = os.fdopen(ends[0], "rb"), os.fdopen(ends[1], "wb")
    try:
        process = os.fork()
        if not process:
            _run(part, writer, (reader, *others))
    except OSError:
        reader.close()
        return None
    finally:
        writer.close()
    return _Fork(process, reader)


def _run(part: Callable[[], object], writer: BinaryIO, others: Iterable[BinaryIO]) -> NoReturn:
    """Run a part in its own process, which ends. What goes wrong is not shown: the caller does the part again.

    If the caller is gone, nobody has the other end of `writer`, so this process ends, too.
    """
    try:
        for each in others:
            each.close()
        for number in _STOPPING:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller gets it, too, and ends this process
        pickle.dump(part(), writer, pickle.HIGHEST_PROTOCOL)
        writer.flush()
    finally:
        os._exit(0)
