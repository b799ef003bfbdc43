"""Terminal: a program on a pseudo-terminal, and the screen that an emulator makes of its output."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from select import select
from typing import TYPE_CHECKING, Final, Self

import pyte

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PATIENCE: Final = 60.0
"""Seconds until something that is awaited must be on the screen."""


class Terminal:
    """A program on a terminal of its own, its controlling one, as in a terminal emulator. A context, which ends it."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 100, lines: int = 40, **environment: str) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._shown: str | None = None
        self.sent = b""
        self._person, self._program = pty.openpty()
        self._set_size(columns, lines)
        self.settings = termios.tcgetattr(self._program)
        unset = ("NO_COLOR", "TERM", "FORCE_COLOR", "COLUMNS", "LINES")
        inherited = {key: value for key, value in os.environ.items() if key not in unset}
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env={**inherited, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environment},
            stdin=self._program,
            stdout=self._program,
            stderr=self._program,
            start_new_session=True,
            preexec_fn=self._control,  # it starts no thread
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._person)
        os.close(self._program)

    @property
    def text(self) -> str:
        """What the screen shows, without trailing blanks."""
        if self._shown is None:  # it takes as long as to draw it
            self._shown = "\n".join(line.rstrip() for line in self.screen.display).rstrip()
        return self._shown

    @property
    def current_settings(self) -> list[object]:
        """The settings of the terminal as they are now."""
        return termios.tcgetattr(self._program)

    def until(self, is_there: Callable[[str], bool] | str) -> str:
        """Wait until the screen shows a text, or fulfills a condition, and is drawn to its end; return its text."""
        shows: Callable[[str], bool] = is_there if callable(is_there) else lambda text: is_there in text
        end = time.monotonic() + _PATIENCE
        while self._read(0.1) or not shows(self.text):
            assert time.monotonic() < end, f"{is_there!r} was awaited:\n{self.text}\n{self.sent[-1000:]!r}"
        return self.text

    def type(self, keys: str) -> None:
        """Type keys: `\\x03` is Ctrl-C."""
        os.write(self._person, keys.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size, of which the program gets a signal."""
        self.screen.resize(lines, columns)
        self._shown = None
        self._set_size(columns, lines)

    def end(self) -> int:
        """Wait for the end of the program, and return its exit code."""
        end = time.monotonic() + _PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"the program goes on:\n{self.text}"
            self._read(0.1)
        self._read(0.1)
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        """Read what is sent, waiting for it at most so long; return whether there was anything."""
        count = len(self.sent)
        while select([self._person], [], [], seconds)[0]:
            seconds = 0
            part = os.read(self._person, 65536)
            self.sent += part
            self._stream.feed(part)
            self._shown = None
        return len(self.sent) > count

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._person, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _control(self) -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
