"""The comments of a YAML text, with their places. JSON has none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import yaml
from yaml.events import ScalarEvent

from toolgen.compiler.source.yaml_text import with_plain_breaks
from toolgen.spec.lines import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event

BLOCK_HEADER: Final = re.compile(r"[|>][-+0-9]*(?=[ \t]*(?:[ \t]#[^\r\n]*)?(?:[\r\n]|\Z))")
"""The header of a block of text, which its line ends with; an anchor or a tag may be before it."""

_COMMENT: Final = re.compile(r"(?:^|(?<=[ \t\r\n]))#[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment: its text from the `#` on, and the offsets of it. `is_alone` if nothing else is on its line."""

    text: str
    start: int
    end: int
    is_alone: bool


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text, in order. Raises yaml.YAMLError if it cannot be parsed."""
    hidden, _ = with_plain_breaks(text)
    return comments_between(text, list(yaml.parse(hidden, Loader=yaml.CBaseLoader)))


def comments_between(text: str, events: list[Event]) -> list[Comment]:
    """Return the comments of a text outside of its scalars, which `events` are the places of."""
    found: list[Comment] = []
    for start, end in _gaps(text, events):
        for match in _COMMENT.finditer(text, start, end):
            before = match.start()
            while before and text[before - 1] in " \t":
                before -= 1
            is_alone = before == 0 or text[before - 1] in "\r\n"
            comment = match[0].rstrip(BLANKS)
            found.append(Comment(comment, match.start(), match.start() + len(comment), is_alone))
    return found


def _gaps(text: str, events: list[Event]) -> Iterator[tuple[int, int]]:
    """Yield the ranges between scalars; the header of a block scalar, which may have a comment, is one of them."""
    at = 0
    for event in events:
        if not isinstance(event, ScalarEvent) or event.start_mark is None or event.end_mark is None:
            continue
        start, end = event.start_mark.index, event.end_mark.index
        if event.style in ("|", ">"):
            header = BLOCK_HEADER.search(text, start)
            assert header is not None, "a block scalar starts with its header"
            line_end = re.compile(r"[\r\n]|\Z").search(text, header.end())
            assert line_end is not None, "every text has an end"
            yield at, start
            yield header.end(), line_end.start()
            at = max(start + len(text[start:end].rstrip(BLANKS)), line_end.start())
        else:
            yield at, start
            at = end
    yield at, len(text)
