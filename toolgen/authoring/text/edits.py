"""Edits of a spec's text, as data: a fix is some of them, applied together or not at all."""

from __future__ import annotations

from bisect import bisect, insort
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
