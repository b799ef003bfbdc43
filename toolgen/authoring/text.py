"""Texts of specs: their comments, and edits of them."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import yaml
from yaml.events import ScalarEvent

from toolgen.compiler.source.yaml_text import with_plain_breaks
from toolgen.spec.text import BLANKS

if TYPE_CHECKING:
    from yaml.events import Event


# The comments of a YAML text, with their places. JSON has none.

BLOCK_HEADER: Final = re.compile(r"[|>][-+0-9]*(?=[ \t]*(?:[ \t]#[^\r\n]*)?(?:[\r\n]|\Z))")
"""The header of a block of text, which its line ends with; an anchor or a tag may be before it."""

SUPPRESSION: Final = re.compile(r"#\s*toolgen:\s*ignore\b")
"""The start of a comment that silences rules of lint for what it is about."""

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


# Edits of a spec's text, as data: a fix is some of them, applied together or not at all.


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """The replacement of the characters from offset `start` to `end`, exclusive, of one file by `new_text`."""

    file: str
    start: int
    end: int
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that correct one finding. `title` describes them in the imperative: "Remove the description"."""

    title: str
    edits: tuple[TextEdit, ...]


def apply_fixes(text: str, file: str, fixes: Iterable[Fix]) -> tuple[str, int]:
    """Return a text with fixes applied, and how many were: one that overlaps an earlier one is left out, whole.

    Only edits of `file` are applied.
    """
    own = [Fix(fix.title, edits) for fix in fixes if (edits := tuple(each for each in fix.edits if each.file == file))]
    taken = compatible(own)
    for edit in sorted((edit for fix in taken for edit in fix.edits), reverse=True):
        text = text[: edit.start] + edit.new_text + text[edit.end :]
    return text, len(taken)


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes that can be applied together: one that overlaps an earlier one is left out."""
    taken: list[Fix] = []
    edits: dict[str, list[TextEdit]] = {}
    for fix in fixes:
        if not any(_overlaps(edit, edits.get(edit.file, [])) for edit in fix.edits):
            taken.append(fix)
            for edit in fix.edits:
                insort(edits.setdefault(edit.file, []), edit)
    return taken


def _overlaps(edit: TextEdit, others: list[TextEdit]) -> bool:
    """Whether an edit overlaps one of the others, which are of its file, sorted, and do not overlap each other."""
    at = bisect(others, edit)
    return any(_overlap(edit, other) for other in others[max(at - 1, 0) : at + 1])


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits change the same characters, or insert at the same place."""
    return (one.start < other.end and other.start < one.end) or one.start == other.start
