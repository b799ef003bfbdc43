"""Ending a process after a signal, whatever the code does that it runs.

An event loop that is blocked hears no signal, a call may ignore that it is cancelled, and a thread cannot be: Python
would wait for it for ever.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

TO_STOP: Final = 10.0
"""Seconds for a process to end what runs after its grace, and to write what is left."""

_IDLE: Final = frozenset({"_worker", "wait", "_wait_for_tstate_lock", "select", "poll", "accept"})
"""Functions in which threads wait for work, or for each other."""


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
def end_of_process(running: Callable[[], list[str]]) -> Generator[Callable[[], None]]:
    """Return a function that lets the process end `TO_STOP` seconds later, if the context has not ended by then."""
    ended = threading.Event()

    def watch() -> None:
        if not ended.wait(TO_STOP):
            cut_off(running())

    try:
        yield threading.Thread(target=watch, name="toolgen-end", daemon=True).start
    finally:
        ended.set()


def cut_off(running: list[str]) -> None:
    """End the process now, with exit code 1, and what still runs on stderr."""
    left = ", ".join([*running, *_threads()]) or "nothing that can be named"
    os.write(2, f"cut off: {left}\n".encode(errors="backslashreplace"))
    os._exit(1)


def _threads() -> list[str]:
    """Return where threads are that the process would wait for, without those that wait for work."""
    frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # documented
    return [
        f"{thread.name} in {frame.f_code.co_qualname} ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"
        for thread in threading.enumerate()
        if not thread.daemon
        and thread is not threading.current_thread()
        and (frame := frames.get(thread.ident or 0))
        and frame.f_code.co_name not in _IDLE
    ]
