"""list_dir: lists the names in a folder, and below it, without following links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from toolgen.runtime.policy.paths.resolution import FileKind
from toolgen.toolsets.generated.tools.code import ListDirResult, ListDirResultEntriesItem

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
        names, entry = pending.pop()
        yield names, entry
        if recursive and entry.kind is FileKind.FOLDER and access.may_read(f"{top.path.rstrip('/')}/{'/'.join(names)}"):
            with suppress(OSError), top.open_below(names) as folder:  # listed, but cannot be opened
                pending += [((*names, below.name), below) for below in reversed(folder.entries())]


def _kind(entry: FolderEntry) -> Kind:
    if entry.is_link:
        return "link"
    return _KINDS.get(entry.kind, "other")
