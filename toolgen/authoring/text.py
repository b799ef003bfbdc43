"""Texts of specs: their comments, and edits of them."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import yaml
from yaml.tokens import AnchorToken, BlockEntryToken, ScalarToken, TagToken

from toolgen.compiler.source.yaml_text import with_plain_breaks
from toolgen.spec.text import BLANKS

# The comments of a YAML text, with their places. JSON has none.

BLOCK_HEADER: Final = re.compile(r"[|>][-+0-9]*")
"""The header of a block of text, at its start: nothing else that starts with these characters is a scalar."""

SUPPRESSION: Final = re.compile(r"#\s*toolgen:\s*ignore\b")
"""The start of a comment that silences rules of lint for what it is about."""

_COMMENT: Final = re.compile(r"#[^\r\n]*")
_LINE: Final = re.compile(r"[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment: its text from the `#` on, and the offsets of it. `is_alone` if nothing else is on its line."""

    text: str
    start: int
    end: int
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Where parts of a YAML text are, which the events of a parser do not say; all in order.

    `dashes` are the offsets of those of lists. `contents` has, for each node with an anchor or a tag, by the offset of
    the first of them, where what follows them starts.
    """

    comments: list[Comment]
    dashes: list[int]
    contents: dict[int, int]


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text, in order. Raises yaml.YAMLError if it has no tokens of YAML."""
    return layout_of(text).comments


def layout_of(text: str) -> Layout:
    """Return the layout of a YAML text, from its tokens: what is between two of them is blank, or a comment.

    Raises yaml.YAMLError if it has no tokens of YAML.
    """
    found = Layout([], [], {})
    hidden, _ = with_plain_breaks(text)
    at = 0
    properties: int | None = None
    for token in yaml.scan(hidden, Loader=yaml.CBaseLoader):
        start, end = token.start_mark.index, token.end_mark.index
        found.comments.extend(_comments_between(text, at, start))
        at = max(at, end)
        if isinstance(token, AnchorToken | TagToken):
            properties = start if properties is None else properties
            continue
        if properties is not None:
            found.contents[properties] = start
            properties = None
        if isinstance(token, BlockEntryToken):
            found.dashes.append(start)
        elif isinstance(token, ScalarToken) and token.style in ("|", ">"):
            head = _LINE.match(text, start, end)
            found.comments.extend(_comments_between(text, start, start if head is None else head.end()))
    return found


def _comments_between(text: str, start: int, end: int) -> Iterator[Comment]:
    """Yield the comments of a part of a text that has no values."""
    for match in _COMMENT.finditer(text, start, end):
        before = match.start()
        while before and text[before - 1] in " \t":
            before -= 1
        is_alone = before == 0 or text[before - 1] in "\r\n"
        comment = match[0].rstrip(BLANKS)
        yield Comment(comment, match.start(), match.start() + len(comment), is_alone)


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
