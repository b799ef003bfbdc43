"""Exact replacements of a text that occurs once, or of all occurrences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.base.errors import rejected
from toolgen.toolsets.code.text import Change, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.toolsets.code.text import Text
    from toolgen.toolsets.generated.tools.code.models.edit_file import EditFileArgsEditsItem


def apply_edits(text: Text, edits: Sequence[EditFileArgsEditsItem]) -> tuple[Text, int]:
    """Make replacements in order, each in the result of the previous one; return the text and their number.

    An empty `old` only matches an empty text. Raises `CallFailed` with `text_not_found` or `ambiguous_edit`.
    """
    made = 0
    for number, edit in enumerate(edits, 1):
        changes = _changes(text.view, normalised(edit.old), normalised(edit.new))
        name = f"edit {number}" if len(edits) > 1 else "the edit"
        if not changes:
            hint = "read the file again: old must match exactly, including spaces and line breaks"
            raise rejected("text_not_found", f"the old text of {name} does not occur in the file", hint)
        if len(changes) > 1 and not (edit.replace_all and edit.old):
            where = f"occurs {len(changes)} times" if edit.old else "is empty, but the file is not"
            hint = "include more of the surrounding text" + (", or set replace_all" if edit.old else "")
            raise rejected("ambiguous_edit", f"the old text of {name} {where}", hint)
        text = text.changed(changes)
        made += len(changes)
    return text, made


def _changes(view: str, old: str, new: str) -> list[Change]:
    """Find all occurrences, without overlaps."""
    if not old:
        return [Change(0, 0, new)] * (2 if view else 1)
    changes, at = list[Change](), view.find(old)
    while at >= 0:
        changes.append(Change(at, at + len(old), new))
        at = view.find(old, at + len(old))
    return changes
