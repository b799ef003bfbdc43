"""SIGTERM and SIGHUP end a command as Ctrl-C does: with all that it started, and with a code that says which."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

_SIGNALS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Stop:
    """Whether a command was stopped by a signal. `code` is the exit code then: 128 + its number, as shells have it."""

    def __init__(self) -> None:
        self.code: int | None = None

    @contextmanager
    def handled(self) -> Generator[None]:
        """Take the signals, in the main thread. One that the parent process ignores stays so, as `nohup` has it."""
        with ExitStack() as undo:
            for number in _SIGNALS if threading.current_thread() is threading.main_thread() else ():
                if signal.getsignal(number) is signal.SIG_DFL:
                    undo.callback(signal.signal, number, signal.signal(number, self._interrupt))
            yield

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does now, also where it is ignored, as in the background of a script."""
        self.code = 128 + number
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):  # an event loop has one of its own, that cancels its task
            interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt
