"""The page on a terminal, drawn again after each event; the terminal is as it was before when the page is closed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from toolgen.authoring.dev.texts import changes, header, problems, surface

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Page
    from toolgen.authoring.dev.texts import Section


# Layout: sections as the lines of a terminal, as many as fit, with a count of the rest.

_INDENT: Final = 2
_HIGHEST: Final = 3
"""Lines of one item."""

_TURNS: Final = (0, 0, 1, 2)
"""The order in which sections get lines: the first of them gets twice as many as the others."""


def lay_out(header: Section, sections: Sequence[Section], width: int, height: int) -> list[Text]:
    """Return at most `height` lines of at most `width` columns: the header, then the sections after a blank line each.

    A section that needs less leaves its lines to the others.
    """
    lines = [line for text in (header.title, *header.items) for line in _item(text, width)][:height]
    blocks = [([Text(), *_item(each.title, width)], [_item(item, width) for item in each.items]) for each in sections]
    shares = _shares([len(title) + sum(map(len, items)) for title, items in blocks], height - len(lines))
    for (title, items), share in zip(blocks, shares, strict=True):
        lines += [*title, *_fitting(items, share - len(title), width)] if share > len(title) else title[:share]
    return lines


def _shares(wanted: Sequence[int], height: int) -> list[int]:
    """Share lines out, in turns."""
    shares = [0] * len(wanted)
    left = min(height, sum(wanted))
    for index in cycle(_TURNS):
        if left <= 0:
            return shares
        if shares[index] < wanted[index]:
            shares[index] += 1
            left -= 1
    raise AssertionError("a cycle has no end")


def _fitting(items: Sequence[Sequence[Text]], height: int, width: int) -> list[Text]:
    """Return the lines of the first items, and how many are left out."""
    if sum(map(len, items)) <= height:
        return [line for item in items for line in item]
    lines: list[Text] = []
    count = 0
    for item in items:
        if len(lines) + len(item) > height - 1:
            break
        lines += item
        count += 1
    rest = Text(f"… and {len(items) - count:,} more" if count else f"… {len(items):,} in all", "dim")
    return [*lines, _line(rest, width)][: max(0, height)]


def _item(item: Text, width: int) -> list[Text]:
    """Return an item on lines that fit, at most three; those after the first are indented."""
    inner = max(1, width - _INDENT)
    if item.cell_len <= width:
        return [item]
    lines = list(item.wrap(Console(width=inner), inner, overflow="fold"))
    if len(lines) > _HIGHEST:
        lines = lines[:_HIGHEST]
        lines[-1].rstrip()
        lines[-1].append(" …")
        lines[-1].truncate(inner, overflow="ellipsis")
    return [line if number == 0 else Text(" " * _INDENT).append_text(line) for number, line in enumerate(lines)]


def _line(text: Text, width: int) -> Text:
    cut = text.copy()
    cut.truncate(width, overflow="ellipsis")
    return cut


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
