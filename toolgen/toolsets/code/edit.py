"""edit_file: changes parts of one file, by exact replacements or by a unified diff. All changes apply, or none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.execute.paths.access import failures, shown
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.policy.paths.resolution import FileKind
from toolgen.toolsets.code.encodings import binary_file
from toolgen.toolsets.code.patch import apply_patch
from toolgen.toolsets.code.replacements import apply_edits
from toolgen.toolsets.code.text import Text, new_text
from toolgen.toolsets.generated.tools.code.models.edit_file import EditFileResult

if TYPE_CHECKING:
    from toolgen.execute.paths.access import PathAccess
    from toolgen.runtime.policy.paths.policy import PathAnswer
    from toolgen.toolsets.generated.tools.code.models.edit_file import EditFileArgs

LARGEST: Final = 32 * 1024 * 1024
"""Maximum size of a file that can be changed, in bytes."""


def edit_file(args: EditFileArgs, access: PathAccess, *, project: str) -> EditFileResult:
    """Change a file; with `create_if_missing`, create a missing one from an empty text.

    Raises `CallFailed` with `text_not_found`, `ambiguous_edit`, `patch_apply_failed`, `path_conflict` (the file was
    changed concurrently), `file_not_found`, `not_a_file`, `binary_file`, `file_too_large`, `unsupported_encoding`, and
    as `check_edit` does. The file is then unchanged.
    """
    answer = access.check_edit(args.path)
    names = (args.path, answer.resolved.removeprefix(f"{project}/"))
    if answer.kind is FileKind.MISSING:
        return _create(args, answer, access, names)
    with access.open_parent(answer) as (folder, name):
        with access.open_inside(folder, name, answer) as file:
            previous = os.fstat(file.fileno())
            if previous.st_size > LARGEST:
                raise rejected(
                    "file_too_large", f"{shown(args.path)} has {previous.st_size} bytes; the maximum is {LARGEST}"
                )
            before = file.read(LARGEST + 1)
        text = Text.decode(before)
        if text is None:
            raise binary_file(args.path, len(before))
        changed, replacements = _apply(args, text, names)
        with failures(args.path):
            folder.replace_file(name, changed.encode(), previous=previous)
    return EditFileResult(replacements=replacements, created=False)


def _create(args: EditFileArgs, answer: PathAnswer, access: PathAccess, names: tuple[str, ...]) -> EditFileResult:
    if not args.create_if_missing:
        hint = "look for it with list_dir, or set create_if_missing"
        raise rejected("file_not_found", f"{shown(args.path)} does not exist", hint)
    text, replacements = _apply(args, new_text(), names)
    with access.open_parent(answer, create=True) as (folder, name), failures(args.path):
        folder.create_file(name, text.encode())
    return EditFileResult(replacements=replacements, created=True)


def _apply(args: EditFileArgs, text: Text, names: tuple[str, ...]) -> tuple[Text, int]:
    if args.edits is not None and args.unified_diff is None:
        return apply_edits(text, args.edits)
    if args.unified_diff is not None and args.edits is None:
        return apply_patch(text, args.unified_diff, names)
    raise CallFailed(FailureKind.INVALID_CALL, "validation_error", "exactly one of edits and unified_diff is needed")
