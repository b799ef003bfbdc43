"""The page on a terminal, drawn again after each event; the terminal is as it was before when the page is closed."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from toolgen.authoring.dev.views.layout import lay_out
from toolgen.authoring.dev.views.texts import changes, header, problems, surface

if TYPE_CHECKING:
    from typing import Self, TextIO

    from toolgen.authoring.dev.page import Page

_USUAL: Final = (80, 24)
"""The columns and lines of a terminal that does not tell."""


class Screen:
    """A page on the alternate screen of a terminal. A context; typed text is not echoed, and is dropped at the end."""

    def __init__(self, out: TextIO, *, color: bool) -> None:
        if isinstance(out, TextIOWrapper):
            out.reconfigure(errors="backslashreplace")  # of what the encoding of the terminal lacks
        self._out = out
        self._console = Console(
            file=out, color_system="auto" if color else None, force_terminal=True, highlight=False, markup=False
        )
        self._live: Live | None = None
        self._settings: list[Any] | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def open(self) -> None:
        """Take the terminal."""
        self._settings = _without_echo()
        self._live = Live(
            console=self._console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._live.start()

    def close(self) -> None:
        """Give the terminal back."""
        live, self._live = self._live, None
        try:
            if live is not None:
                live.stop()
        finally:
            _restore(self._settings)

    def show(self, page: Page) -> None:
        """Draw the page."""
        width, height = _size(self._out)
        self._console.size = (width, height)
        lines = lay_out(header(page), [problems(page), changes(page), surface(page)], width, height)
        if self._live is not None:
            self._live.update(Text("\n", no_wrap=True, overflow="crop").join(lines), refresh=True)


def _size(out: TextIO) -> tuple[int, int]:
    try:
        width, height = os.get_terminal_size(out.fileno())
    except OSError:
        return _USUAL
    return (width, height) if width and height else _USUAL


def _without_echo() -> list[Any] | None:
    """Turn off the echo of the terminal that stdin is; return its settings as they were."""
    if sys.platform == "win32" or not sys.stdin or not sys.stdin.isatty():
        return None
    import termios

    settings = termios.tcgetattr(sys.stdin)
    quiet = list(settings)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
    return settings


def _restore(settings: list[Any] | None) -> None:
    if settings is not None and sys.platform != "win32":
        import termios

        termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, settings)
