"""Layout: sections as the lines of a terminal, as many as fit, with a count of the rest."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.authoring.dev.views.texts import Section

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
