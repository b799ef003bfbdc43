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
    own = [Fix(fix.title, edits) for fix in fixes if (edits := tuple(each for each in fix.edits if each.file == file))]
    taken = compatible(own)
    for edit in sorted((edit for fix in taken for edit in fix.edits), reverse=True):
        text = text[: edit.start] + edit.new_text + text[edit.end :]
    return text, len(taken)


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes that can be applied together: one that overlaps an earlier one is left out."""
    taken: list[Fix] = []
    for fix in fixes:
        others = [edit for each in taken for edit in each.edits]
        if not any(_overlap(edit, other) for edit in fix.edits for other in others):
            taken.append(fix)
    return taken


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits change the same characters, or insert at the same place."""
    return (one.start < other.end and other.start < one.end) or one.start == other.start
