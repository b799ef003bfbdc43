"""search and listing: ripgrep finds lines, and the shown text is read again from files that may be read.

So a file that is sensitive, or was replaced while ripgrep read it, reveals nothing.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import IO, TYPE_CHECKING, Final, Literal, TypeAlias

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import path_failures, shown
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.catalog.execution import run_in_thread
from toolgen.runtime.policy.paths import FileKind
from toolgen.spec.text import lines_of
from toolgen.toolsets.code.ripgrep import FORM, KEPT_BYTES, FoundLine, Output
from toolgen.toolsets.code.text import SAMPLE_BYTES, Encoding, cut_line, detect, line_start, skip_lines, text_of
from toolgen.toolsets.entries import entries_below
from toolgen.toolsets.generated.tools.code import (
    ListDirResult,
    ListDirResultEntriesItem,
    SearchResult,
    SearchResultMatchesItem,
)

if TYPE_CHECKING:
    from toolgen.execute.paths import Folder, FolderEntry, PathAccess
    from toolgen.toolsets.entries import Names
    from toolgen.toolsets.generated.tools.code import ListDirArgs, SearchArgs


# list_dir: lists the names in a folder, and below it, without following links.

Kind: TypeAlias = Literal["file", "dir", "link", "other"]

_KINDS: Final[Mapping[FileKind, Kind]] = {FileKind.FOLDER: "dir", FileKind.FILE: "file"}


def list_dir(args: ListDirArgs, access: PathAccess) -> ListDirResult:
    """List a folder, sorted by name, each folder before its entries.

    Sensitive folders are listed without their entries. Raises `CallFailed` with `sensitive_path`, `file_not_found` or
    `not_a_folder`.
    """
    answer = access.check_read(args.path)

    def enters(names: Names) -> bool:
        return args.recursive and access.may_read(f"{answer.resolved.rstrip('/')}/{'/'.join(names)}")

    with access.open_folder(answer) as folder, path_failures(args.path):
        found = list(islice(entries_below(folder, enters), args.limit + 1))
    entries = [
        ListDirResultEntriesItem(path=path_below(args.path, names), kind=_kind(entry))
        for names, entry in found[: args.limit]
    ]
    return ListDirResult(entries=entries, truncated=len(found) > args.limit)


def path_below(folder: str, names: Names) -> str:
    """Return the path of an entry, in the form of the folder's path, so that it can be used in the next call.

    Bytes of names that are not UTF-8 are escaped: no call can name such a file.
    """
    start = folder.rstrip("/")
    below = "/".join(names).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return below if start == "." else f"{start}/{below}"


def _kind(entry: FolderEntry) -> Kind:
    if entry.is_link:
        return "link"
    return _KINDS.get(entry.kind, "other")


TIMEOUT_MS: Final = 60_000
_INSTALL: Final = (
    "ask the user to install it (apt-get install ripgrep, dnf install ripgrep, brew install ripgrep); "
    "until then use list_dir and read_file"
)
_OPTIONS: Final = (
    "--no-config",
    "--no-messages",  # about unreadable files; pattern errors are still reported
    "--sort=path",
    "--crlf",
    "--text",  # which files are binary is decided as for `read_file`
)
_LONGEST: Final = 100_000
"""Maximum bytes of a query, and of a glob: an argument of a program has a limit."""

_PATTERN_ERROR: Final = 2


async def search_files(args: SearchArgs, access: PathAccess, *, ripgrep: str) -> SearchResult:
    """Search a file, or all files below a folder, sorted by path, except hidden and ignored ones that no glob names.

    Files are decoded as `read_file` decodes them, but for those in UTF-32, which are not searched. Raises `CallFailed`
    with `ripgrep_missing`, `invalid_pattern`, `search_failed`, `timeout`, and as `check_search` does.
    """
    _check_argument("query", args.query)
    _check_argument("glob", args.glob or "")
    program = shutil.which(ripgrep)
    if program is None:
        message = "search needs ripgrep (rg), which is not installed here"
        raise CallFailed(FailureKind.UNAVAILABLE, "ripgrep_missing", message, _INSTALL)
    answer = access.check_search(args.path)
    if answer.kind is FileKind.FOLDER:
        with access.open_folder(answer) as folder:
            matches = await _search(program, args, ".", folder, access)
    elif answer.kind is FileKind.OTHER:
        raise rejected("not_a_file", f"{shown(args.path)} is neither a file nor a folder")
    else:
        access.open_file(answer).close()
        with access.open_parent(answer) as (folder, name):
            matches = await _search(program, args, f"./{name}", folder, access)
    return SearchResult(
        matches=[
            SearchResultMatchesItem(
                path=path_below(args.path, names) if answer.kind is FileKind.FOLDER else args.path,
                line=line.number,
                text=_shown_line(line.content),
            )
            for names, line in matches[: args.limit]
        ],
        truncated=len(matches) > args.limit,
    )


def _check_argument(name: str, value: str) -> None:
    if "\0" in value:
        raise _invalid(f"`{name}` contains a NUL character", "leave it out: a text file contains none")
    if len(value.encode()) > _LONGEST:
        raise _invalid(f"`{name}` has more than {_LONGEST:,} bytes", "search for less")


def _invalid(message: str, hint: str) -> CallFailed:
    return CallFailed(FailureKind.INVALID_CALL, "invalid_pattern", message, hint)


async def _search(
    program: str, args: SearchArgs, target: str, folder: Folder, access: PathAccess
) -> list[tuple[Names, FoundLine]]:
    """Run ripgrep until it has found more lines than the limit; return them."""
    from toolgen.execute.processes import OutputStream

    argv = [program, *_OPTIONS, *FORM, f"--max-count={args.limit + 1}", f"--regexp={args.query}"]
    argv += [] if args.glob is None else [f"--glob={args.glob}"]
    argv += ["--", target]
    parser, matches = Output(), list[tuple["Names", FoundLine]]()
    try:
        with OutputStream(argv, cwd=folder.working_directory, env={}, stderr_bytes=8192) as output:
            async with asyncio.timeout(TIMEOUT_MS / 1000):
                while len(matches) <= args.limit and (data := await output.read()):
                    for names, found in groupby(parser.take(data), key=itemgetter(0)):
                        confirm = partial(_confirmed, names, [line for _, line in found], folder.path, access)
                        lines = await run_in_thread(confirm, is_guarded=True)
                        matches += [(names, line) for line in lines]
                if len(matches) <= args.limit:
                    _check_end(*await output.wait())
    except TimeoutError as error:
        message = f"the search took longer than {TIMEOUT_MS // 1000} s"
        hint = "search a smaller folder, or use a glob"
        raise CallFailed(FailureKind.TIMEOUT, "timeout", message, hint) from error
    return matches


def _check_end(exit_code: int, stderr: bytes) -> None:
    if exit_code < 0:
        message = f"the search was ended by the signal {-exit_code}"
        raise CallFailed(FailureKind.UNAVAILABLE, "search_failed", message, "search a smaller folder, or use a glob")
    if exit_code != _PATTERN_ERROR or not stderr:
        return
    lines = [line.strip() for line in lines_of(stderr.decode(errors="replace")) if line.strip()]
    reason = next((line for line in lines if line.startswith("error: ")), lines[0] if lines else "it is rejected")
    if "parsing glob" in reason:
        hint = "correct `glob`: it selects files by their names, and literal characters such as [ or { need a \\"
    else:
        hint = "correct `query`: it is a regular expression that matches within one line; escape literal characters"
    raise _invalid(f"ripgrep: {reason}", hint)


def _confirmed(names: Names, lines: Iterable[FoundLine], place: str, access: PathAccess) -> list[FoundLine]:
    """Return the lines that still exist in a text file, if it may be read."""
    path = f"{place.rstrip('/')}/{'/'.join(names)}"
    try:
        answer = access.check_read(path)
        if answer.resolved != path:
            return []
        with access.open_file(answer) as file:
            encoding = detect(file.read(SAMPLE_BYTES))
            if encoding is None:
                return []
            if encoding.mark:
                return list(_lines_by_number(lines, file, encoding))
            return list(_lines_by_offset(lines, file))
    except CallFailed:  # sensitive, or removed: treat as not found
        return []


def _lines_by_offset(lines: Iterable[FoundLine], file: IO[bytes]) -> Iterator[FoundLine]:
    for line in lines:
        file.seek(line.offset)
        if file.read(len(line.content)) == line.content:
            yield line


def _lines_by_number(lines: Iterable[FoundLine], file: IO[bytes], encoding: Encoding) -> Iterator[FoundLine]:
    """Compare lines in a file with a byte order mark: ripgrep reports offsets of what it has decoded."""
    with text_of(file, encoding) as text:
        read = 0
        for line in lines:
            skip_lines(text, line.number - 1 - read)
            start, found = line_start(text, KEPT_BYTES), line.content.decode(errors="replace")
            read = line.number
            if start.startswith(found) or (len(line.content) == KEPT_BYTES and start.startswith(found[:-1])):
                yield line


def _shown_line(line: bytes) -> str:
    return cut_line(line.decode(errors="replace").rstrip("\r\n"))[0]
