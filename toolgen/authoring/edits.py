"""Edits of a spec's text, as data: a fix is some of them, applied together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    taken: list[TextEdit] = []
    applied = 0
    for fix in fixes:
        edits = [edit for edit in fix.edits if edit.file == file]
        if edits and not any(_overlap(edit, other) for edit in edits for other in taken):
            taken += edits
            applied += 1
    for edit in sorted(taken, reverse=True):
        text = text[: edit.start] + edit.new_text + text[edit.end :]
    return text, applied


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits change the same characters, or insert at the same place."""
    return (one.start < other.end and other.start < one.end) or one.start == other.start
