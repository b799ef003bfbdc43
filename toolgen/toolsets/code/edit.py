"""edit_file: changes parts of one file, by exact replacements or by a unified diff. All changes apply, or none."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import path_failures, shown
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.policy.paths import FileKind
from toolgen.spec.text import cut
from toolgen.toolsets.code.text import Change, FileText, binary_file, encoded, new_text, normalised
from toolgen.toolsets.generated.tools.code import EditFileResult, WriteFileResult

if TYPE_CHECKING:
    from toolgen.execute.paths import PathAccess
    from toolgen.runtime.policy.paths import PathAnswer
    from toolgen.toolsets.generated.tools.code import EditFileArgs, EditFileArgsEditsItem, WriteFileArgs


# write_file: writes a whole file, new or replacing another.


def write_file(args: WriteFileArgs, access: PathAccess) -> WriteFileResult:
    """Write a file as UTF-8. An existing one is replaced atomically, if `overwrite` is set.

    Raises `CallFailed` with `path_conflict`, `not_a_file`, `file_not_found` (a folder, with `create_dirs` False), and
    as `check_write` does.
    """
    content = encoded(args.content)
    answer = access.check_write(args.path)
    with access.open_parent(answer, create=args.create_dirs) as (folder, name), path_failures(args.path):
        try:
            folder.create_file(name, content)
        except FileExistsError:
            if not args.overwrite:
                raise
            folder.replace_file(name, content)
            return WriteFileResult(bytes_written=len(content), created=False)
    return WriteFileResult(bytes_written=len(content), created=True)


# Exact replacements of a text that occurs once, or of all occurrences.

LARGEST: Final = 32 * 1024 * 1024
"""Maximum size of a file that can be changed, in bytes."""

MOST_SEARCHED: Final = 4 * 1024**3
"""Maximum characters that the edits of one call read, since each reads the whole text: some seconds."""

_MORE: Final = "include more of the surrounding text"


def apply_edits(text: FileText, edits: Sequence[EditFileArgsEditsItem]) -> tuple[FileText, int]:
    """Make replacements in order, each in the result of the previous one; return the text and their number.

    An empty `old` only matches an empty text. Raises `CallFailed` with `text_not_found`, `ambiguous_edit` or
    `file_too_large`.
    """
    if len(edits) * len(text.view) > MOST_SEARCHED:
        message = f"{len(edits)} edits are too many for one call with a file of {len(text.view)} characters"
        raise rejected("file_too_large", message, "make fewer edits in a call, or use unified_diff")
    made = 0
    for number, edit in enumerate(edits, 1):
        check_call()
        name = f"edit {number}" if len(edits) > 1 else "the edit"
        text, count = _replaced(text, edit, name)
        made += count
    return text, made


def _replaced(text: FileText, edit: EditFileArgsEditsItem, name: str) -> tuple[FileText, int]:
    old, new = normalised(edit.old), normalised(edit.new)
    if not old:
        if text.view:
            raise rejected("ambiguous_edit", f"the old text of {name} is empty, but the file is not", _MORE)
        return text.changed([Change(0, 0, new)]), 1
    count = text.view.count(old)
    if count == 0:
        hint = "read the file again: old must match exactly, including spaces and line breaks"
        raise rejected("text_not_found", f"the old text of {name} does not occur in the file", hint)
    if count > 1 and not edit.replace_all:
        raise rejected("ambiguous_edit", f"the old text of {name} occurs {count} times", f"{_MORE}, or set replace_all")
    size = len(text.view) + count * (len(new) - len(old))
    if size > max(LARGEST, len(text.view)):
        raise rejected("file_too_large", f"{name} makes a file of {size} characters; the maximum is {LARGEST}")
    return text.replaced(old, new), count


# Unified diffs of one file, applied strictly: at the given lines, with exact context.

_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?")
_GIT_SIDE: Final = re.compile(r"^[ab]/")
_IGNORED: Final = ("diff --git ", "index ", "new file mode ")
_UNSUPPORTED: Final = {
    "rename ": "renames a file",
    "copy ": "copies a file",
    "similarity index ": "renames or copies a file",
    "deleted file mode ": "deletes a file",
    "old mode ": "changes the mode of a file",
    "GIT binary patch": "is binary",
    "Binary files ": "is binary",
}
_NO_NEWLINE: Final = "\\"
_NO_END: Final = "only the last line of a file may have no newline: remove the line that begins with \\"
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: `line` is its first line, from 1, and `steps` are marks and lines with ends.

    A mark is a space (context), `-` or `+`. Without context and removed lines, new ones are inserted after `line`.
    """

    line: int
    steps: Sequence[tuple[str, str]]

    @property
    def old(self) -> list[str]:
        """The lines that must be in the file."""
        return [line for mark, line in self.steps if mark != "+"]

    @property
    def start(self) -> int:
        """The number of lines before it."""
        return self.line - 1 if self.old else self.line


def apply_patch(text: FileText, diff: str, names: Collection[str]) -> tuple[FileText, int]:
    """Apply a diff of the file with one of `names`; return the text and the number of hunks.

    Raises `CallFailed` with `patch_apply_failed`.
    """
    hunks = parse(diff, names)
    lines = _split(text.view)
    changes, at, offset = list[Change](), 0, 0
    for number, hunk in enumerate(hunks, 1):
        check_call()
        _check(hunk, lines, number, at)
        offset += sum(map(len, lines[at : hunk.start]))
        changes += _changes(hunk, offset)
        offset += sum(map(len, hunk.old))
        at = hunk.start + len(hunk.old)
    return text.changed(changes), len(hunks)


def parse(diff: str, names: Collection[str]) -> list[Hunk]:
    """Parse a diff of one file. Its two lines of names are optional. Raises `CallFailed` `patch_apply_failed`."""
    lines = normalised(diff).split("\n")
    if lines[-1] == "":
        lines.pop()
    at = _header(lines, names)
    hunks = list[Hunk]()
    while at < len(lines):
        hunk, at = _hunk(lines, at)
        hunks.append(hunk)
    if not hunks:
        raise _failed("the diff has no hunk", "a hunk begins with @@ -line,count +line,count @@")
    return hunks


def _header(lines: Sequence[str], names: Collection[str]) -> int:
    """Check the lines before the first hunk; return its position."""
    at = 0
    while at < len(lines) and not lines[at].startswith(("--- ", "@@ ")):
        _check_supported(lines[at])
        if lines[at] and not lines[at].startswith(_IGNORED):
            raise _failed(f"line {at + 1} of the diff is not valid in a unified diff: {_quoted(lines[at])}")
        at += 1
    if at < len(lines) and lines[at].startswith("--- "):
        if at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
            raise _failed("the line after --- must begin with +++")
        old, new = (lines[at + side][4:].partition("\t")[0].strip() for side in (0, 1))
        if new == "/dev/null":
            raise _failed("the diff deletes a file", "only the content of a file can be changed")
        known = {posixpath.normpath(name) for name in names}
        for name in (new,) if old == "/dev/null" else (old, new):
            if known.isdisjoint({posixpath.normpath(name), posixpath.normpath(_GIT_SIDE.sub("", name))}):
                raise _failed(f"the diff is for {_quoted(name)}, not for the path of this call", "one diff, one file")
        at += 2
    return at


def _check_supported(line: str) -> None:
    for start, does in _UNSUPPORTED.items():
        if line.startswith(start):
            raise _failed(f"the diff {does}", "only the content of a text file can be changed")


def _hunk(lines: Sequence[str], at: int) -> tuple[Hunk, int]:
    """Parse one hunk; return it and its end."""
    head = _HUNK.fullmatch(lines[at])
    if head is None:
        _check_supported(lines[at])
        if lines[at].startswith(("--- ", "diff --git ")):
            raise _failed("the diff changes more than one file", "one diff, one file")
        hint = "check the counts of the hunk before it" if at else "a hunk begins with @@ -line,count +line,count @@"
        raise _failed(f"line {at + 1} of the diff does not begin a hunk: {_quoted(lines[at])}", hint)
    start, old, _, new = (int(part or 1) for part in head.groups())
    left = {"-": old, "+": new}
    steps = list[tuple[str, str]]()
    at += 1
    while any(left.values()):
        line = (lines[at] or " ") if at < len(lines) else ""  # trailing spaces may have been stripped
        sides = {" ": "-+", "-": "-", "+": "+"}.get(line[:1], "")
        if not sides or any(left[side] == 0 for side in sides):
            raise _failed(f"the hunk at line {start} does not have as many lines as it says", "count its lines again")
        for side in sides:
            left[side] -= 1
        at += 1
        ends = at < len(lines) and lines[at].startswith(_NO_NEWLINE)
        steps.append((line[0], line[1:] if ends else f"{line[1:]}\n"))
        at += ends
    for other in "+-":
        contents = [content for mark, content in steps if mark != other]
        if not all(content.endswith("\n") for content in contents[:-1]):
            raise _failed(f"the hunk at line {start} has a line without a newline before its last line", _NO_END)
    return Hunk(start, steps), at


def _check(hunk: Hunk, lines: Sequence[str], number: int, at: int) -> None:
    """Compare the old lines of a hunk with the file."""
    if hunk.start < at or hunk.line < bool(hunk.old):
        raise _failed(f"hunk {number} begins before the end of the previous one", "put the hunks in order")
    old, there = hunk.old, lines[hunk.start : hunk.start + len(hunk.old)]
    if hunk.start > len(lines):
        raise _failed(f"hunk {number} begins at line {hunk.line}; the file has {len(lines)} lines", "read it again")
    if there == old:
        _check_end(hunk, lines, number)
        return
    for offset, expected in enumerate(old):
        found = there[offset] if offset < len(there) else None
        if found != expected:
            says = "the file ends there" if found is None else f"the file has {_quoted(found)}"
            message = f"hunk {number} does not fit: in line {hunk.line + offset} it has {_quoted(expected)}, and {says}"
            raise _failed(message, _hint(old, lines, hunk.line + offset, found, expected))


def _check_end(hunk: Hunk, lines: Sequence[str], number: int) -> None:
    """Check that the new lines of a hunk that fits are lines of the file."""
    new = [line for mark, line in hunk.steps if mark != "-"]
    ends_file = hunk.start + len(hunk.old) == len(lines)
    if new and not new[-1].endswith("\n") and not ends_file:
        raise _failed(f"hunk {number} has a last line without a newline, and the file goes on after it", _NO_END)
    if new and not hunk.old and ends_file and lines and not lines[-1].endswith("\n"):
        hint = "replace that line by one with a newline, and add the new ones after it"
        raise _failed(f"hunk {number} adds lines after line {len(lines)}, which has no newline at its end", hint)


def _hint(old: Sequence[str], lines: Sequence[str], line: int, found: str | None, expected: str) -> str:
    if found == expected.removesuffix("\n"):
        return f"line {line} has no newline at its end: add '\\ No newline at end of file' after it"
    place = _only_place("".join(lines), "".join(old))
    if place is not None:
        return f"the lines of this hunk occur at line {place}"
    return "read the file again: every line of context must match exactly"


def _only_place(text: str, lines: str) -> int | None:
    """Return the line at which whole lines occur in a text, if that is one place."""
    text, lines = f"\n{text}", f"\n{lines}"  # the beginning of a line is after a line feed
    if not lines.endswith("\n"):
        return text.count("\n", 0, len(text) - len(lines)) + 1 if text.endswith(lines) else None
    at = text.find(lines)
    is_only = at >= 0 and text.find(lines, at + 1) < 0
    return text.count("\n", 0, at) + 1 if is_only else None


def _changes(hunk: Hunk, offset: int) -> Iterator[Change]:
    """Return the changes between lines of context. `offset` is that of the hunk in the text."""
    start, new = offset, list[str]()
    for mark, content in (*hunk.steps, (" ", "")):
        if mark == "+":
            new.append(content)
        elif mark == "-":
            offset += len(content)
        else:
            if offset > start or new:
                yield Change(start, offset, "".join(new))
            offset += len(content)
            start, new = offset, []


def _split(text: str) -> list[str]:
    """Split a text only after line feeds."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _quoted(line: str) -> str:
    return repr(cut(line, _SHOWN))


def _failed(message: str, hint: str = "") -> CallFailed:
    return rejected("patch_apply_failed", message, hint)


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
        text = FileText.decode(before)
        if text is None:
            raise binary_file(args.path, len(before))
        changed, replacements = _apply(args, text, names)
        with path_failures(args.path):
            folder.replace_file(name, changed.encode(), previous=previous)
    return EditFileResult(replacements=replacements, created=False)


def _create(args: EditFileArgs, answer: PathAnswer, access: PathAccess, names: tuple[str, ...]) -> EditFileResult:
    if not args.create_if_missing:
        hint = "look for it with list_dir, or set create_if_missing"
        raise rejected("file_not_found", f"{shown(args.path)} does not exist", hint)
    text, replacements = _apply(args, new_text(), names)
    with access.open_parent(answer, create=True) as (folder, name), path_failures(args.path):
        folder.create_file(name, text.encode())
    return EditFileResult(replacements=replacements, created=True)


def _apply(args: EditFileArgs, text: FileText, names: tuple[str, ...]) -> tuple[FileText, int]:
    if args.edits is not None and args.unified_diff is None:
        return apply_edits(text, args.edits)
    if args.unified_diff is not None and args.edits is None:
        return apply_patch(text, args.unified_diff, names)
    raise CallFailed(FailureKind.INVALID_CALL, "validation_error", "exactly one of edits and unified_diff is needed")
