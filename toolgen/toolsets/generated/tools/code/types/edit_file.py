"""Types of the tool `edit_file`, in `code`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class EditFileArgsEditsItem(ClosedModel):
    old: str
    new: str
    replace_all: bool = False


class EditFileArgs(ClosedModel):
    """Args of `edit_file`: Change parts of one file, by exact replacements or by a unified diff."""

    path: str
    edits: list[EditFileArgsEditsItem] | None = None
    unified_diff: str | None = None
    create_if_missing: bool = False


class EditFileResult(ClosedModel):
    """Result of `edit_file`: Change parts of one file, by exact replacements or by a unified diff."""

    replacements: int
    created: bool
