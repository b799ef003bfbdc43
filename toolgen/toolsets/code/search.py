"""search and listing: ripgrep finds lines, and the shown text is read again from files that may be read.

So a file that is sensitive, or was replaced while ripgrep read it, reveals nothing.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import shown
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.policy.paths import FileKind
from toolgen.spec.text import lines_of
from toolgen.toolsets.code.text import cut_line
from toolgen.toolsets.generated.tools.code import (
    ListDirResult,
    ListDirResultEntriesItem,
    SearchResult,
    SearchResultMatchesItem,
)

if TYPE_CHECKING:
    from toolgen.execute.paths import PathAccess
    from toolgen.execute.processes import FinishedProcess
    from toolgen.toolsets.generated.tools.code import SearchArgs


# list_dir: lists the names in a folder, and below it, without following links.

if TYPE_CHECKING:
    from toolgen.execute.paths import Folder, FolderEntry, PathAccess
    from toolgen.toolsets.generated.tools.code import ListDirArgs

    Names: TypeAlias = tuple[str, ...]

Kind: TypeAlias = Literal["file", "dir", "link", "other"]

_KINDS: Final[Mapping[FileKind, Kind]] = {FileKind.FOLDER: "dir", FileKind.FILE: "file"}


def list_dir(args: ListDirArgs, access: PathAccess) -> ListDirResult:
    """List a folder, sorted by name, each folder before its entries.

    Sensitive folders are listed without their entries. Raises `CallFailed` with `sensitive_path`, `file_not_found` or
    `not_a_folder`.
    """
    answer = access.check_read(args.path)
    with access.open_folder(answer) as folder:
        found = list(islice(_entries(folder, access, recursive=args.recursive), args.limit + 1))
    entries = [
        ListDirResultEntriesItem(path=path_below(args.path, names), kind=_kind(entry))
        for names, entry in found[: args.limit]
    ]
    return ListDirResult(entries=entries, truncated=len(found) > args.limit)


def path_below(folder: str, names: Names) -> str:
    """Return the path of an entry, in the form of the folder's path, so that it can be used in the next call.

    Bytes of names that are not UTF-8 are escaped.
    """
    start = folder.rstrip("/")
    below = "/".join(names).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return below if start == "." else f"{start}/{below}"


def _entries(top: Folder, access: PathAccess, *, recursive: bool) -> Iterator[tuple[Names, FolderEntry]]:
    pending: list[tuple[Names, FolderEntry]] = [((entry.name,), entry) for entry in reversed(top.entries())]
    while pending:
        check_call()
        names, entry = pending.pop()
        yield names, entry
        if recursive and entry.kind is FileKind.FOLDER and access.may_read(f"{top.path.rstrip('/')}/{'/'.join(names)}"):
            with suppress(OSError), top.open_below(names) as folder:  # listed, but cannot be opened
                pending += [((*names, below.name), below) for below in reversed(folder.entries())]


def _kind(entry: FolderEntry) -> Kind:
    if entry.is_link:
        return "link"
    return _KINDS.get(entry.kind, "other")


TIMEOUT_MS: Final = 60_000
OUTPUT_BYTES: Final = 32 * 1024 * 1024
_INSTALL: Final = (
    "ask the user to install it (apt-get install ripgrep, dnf install ripgrep, brew install ripgrep); "
    "until then use list_dir and read_file"
)
_OPTIONS: Final = (
    "--json",
    "--no-config",
    "--no-messages",  # about unreadable files; pattern errors are still reported
    "--sort=path",
    "--crlf",
    "--encoding=none",  # offsets are those of the file; so UTF-16 is not searched
)
_PATTERN_ERROR: Final = 2


@dataclass(frozen=True, slots=True)
class _Found:
    """A line that ripgrep found: the file, relative to its folder, and the offset in bytes."""

    names: tuple[str, ...]
    number: int
    offset: int
    line: bytes


async def search_files(args: SearchArgs, access: PathAccess, *, ripgrep: str) -> SearchResult:
    """Search a file, or all files below a folder except hidden and ignored ones, sorted by path.

    Raises `CallFailed` with `ripgrep_missing`, `invalid_pattern`, `timeout`, and as `check_search` does.
    """
    program = shutil.which(ripgrep)
    if program is None:
        message = "search needs ripgrep (rg), which is not installed here"
        raise CallFailed(FailureKind.UNAVAILABLE, "ripgrep_missing", message, _INSTALL)
    answer = access.check_search(args.path)
    if answer.kind is FileKind.FOLDER:
        with access.open_folder(answer) as folder:
            finished = await _run(program, args, ".", folder.working_directory)
        place = answer.resolved
    elif answer.kind is FileKind.OTHER:
        raise rejected("not_a_file", f"{shown(args.path)} is neither a file nor a folder")
    else:
        access.open_file(answer).close()
        with access.open_parent(answer) as (folder, name):
            finished = await _run(program, args, f"./{name}", folder.working_directory)
        place = folder.path
    confirmed = islice(_confirmed(_found(finished.stdout), place, access), args.limit + 1)
    matches = await asyncio.to_thread(list, confirmed)
    return SearchResult(
        matches=[
            SearchResultMatchesItem(
                path=path_below(args.path, found.names) if answer.kind is FileKind.FOLDER else args.path,
                line=found.number,
                text=_shown_line(found.line),
            )
            for found in matches[: args.limit]
        ],
        truncated=len(matches) > args.limit or finished.stdout_cut,
    )


async def _run(program: str, args: SearchArgs, target: str, folder: str) -> FinishedProcess:
    from toolgen.execute.processes import run_process

    argv = [program, *_OPTIONS, f"--max-count={args.limit + 1}", f"--regexp={args.query}"]
    argv += [] if args.glob is None else [f"--glob={args.glob}"]
    finished = await run_process(
        [*argv, "--", target],
        cwd=folder,
        env={},
        timeout_ms=TIMEOUT_MS,
        stdout_bytes=OUTPUT_BYTES,
        stderr_bytes=8192,
    )
    if finished.timed_out:
        message = f"the search took longer than {TIMEOUT_MS // 1000} s"
        raise CallFailed(FailureKind.TIMEOUT, "timeout", message, "search a smaller folder, or use a glob")
    if finished.exit_code == _PATTERN_ERROR and finished.stderr:
        raise _invalid_pattern(finished.stderr.decode(errors="replace"))
    return finished


def _invalid_pattern(stderr: str) -> CallFailed:
    lines = [line.strip() for line in lines_of(stderr) if line.strip()]
    reason = next((line for line in lines if line.startswith("error: ")), lines[0] if lines else "it is rejected")
    hint = "escape literal characters; the pattern matches within one line"
    return CallFailed(FailureKind.INVALID_CALL, "invalid_pattern", f"ripgrep: {reason}", hint)


def _found(output: bytes) -> Iterator[_Found]:
    """Parse ripgrep's JSON lines; the last may be truncated at any byte."""
    for line in output[: output.rfind(b"\n") + 1].split(b"\n"):
        if line.startswith(b'{"type":"match"'):
            data = json.loads(line)["data"]
            path = _bytes(data["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
            yield _Found(tuple(path.split("/")), data["line_number"], data["absolute_offset"], _bytes(data["lines"]))


def _bytes(data: dict[str, Any]) -> bytes:
    """Decode ripgrep's representation of text that may not be UTF-8."""
    return base64.b64decode(data["bytes"]) if "bytes" in data else str(data["text"]).encode()


def _confirmed(lines: Iterable[_Found], place: str, access: PathAccess) -> Iterator[_Found]:
    """Yield the lines that still exist in files that may be read."""
    for found in lines:
        path = f"{place.rstrip('/')}/{'/'.join(found.names)}"
        try:
            answer = access.check_read(path)
            if answer.resolved == path:
                with access.open_file(answer) as file:
                    file.seek(found.offset)
                    if file.read(len(found.line)) == found.line:
                        yield found
        except CallFailed:  # sensitive, or removed: treat as not found
            continue


def _shown_line(line: bytes) -> str:
    return cut_line(line.decode(errors="replace").rstrip("\r\n"))[0]
