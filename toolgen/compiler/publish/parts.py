"""Parts: the pieces of a generated file that a lock has digests of, so that each tool has digests of its own.

Files that hold something of every tool (`catalog.json`, `TOOLS.md`, call builders, transforms) come apart by tool or
function; all else is one part. Between two conflict markers a file is two files, one for each side of the merge.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENTRY: Final = re.compile(rb'^"([\w.-]+)":\n(\{.*\}),?\n', re.MULTILINE)
"""A tool in `catalog.json`: its ident on one line, all else on the next."""

_ROW_OR_SECTION: Final = re.compile(rb"^(?:\| \[`([\w.-]+)`\].*\n|### `([\w.-]+)`\n(?:(?!##).*\n?)*)", re.MULTILINE)
"""A tool in `TOOLS.md`: its row in the table of its toolset, and its section, up to the next heading."""

_FUNCTION: Final = re.compile(rb"^def (\w+)\((?:(?!def ).*\n?)*", re.MULTILINE)

_CONFLICT: Final = re.compile(rb"^<<<<<<< ", re.MULTILINE)
_MARKER: Final = re.compile(rb"<<<<<<< |\|\|\|\|\|\|\| |=======$|>>>>>>> ")


def parts_of(path: str, content: bytes) -> dict[str, bytes]:
    """Take a generated file apart: name to content. What belongs to no name is the part without one."""
    name = path.rpartition("/")[2]
    if path == "catalog.json":
        pattern = _ENTRY
    elif path == "TOOLS.md":
        pattern = _ROW_OR_SECTION
    elif name in ("calls.py", "transforms.py"):
        pattern = _FUNCTION
    else:
        return {"": content}
    parts: dict[str, bytes] = {"": pattern.sub(b"", content).rstrip(b"\n")}
    for found in pattern.finditer(content):
        named = found[found.lastindex or 1] if pattern is _ROW_OR_SECTION else found[1]
        said = found[2] if pattern is _ENTRY else found[0]
        parts[named.decode()] = parts.get(named.decode(), b"") + said.rstrip(b"\n")
    return parts


def has_conflict(content: bytes) -> bool:
    """Return whether a file holds conflict markers."""
    return _CONFLICT.search(content) is not None


def sides(content: bytes) -> list[bytes]:
    """Return the versions that a file with conflict markers was merged of; without markers, the file itself."""
    if not has_conflict(content):
        return [content]
    read = [*_sides(content)]
    return [b"".join(line for line, where in read if side in where) for side in "ot"]


def _sides(content: bytes) -> Iterator[tuple[bytes, str]]:
    """Iterate over the lines without markers, each with the sides that have it: `o`urs, `t`heirs."""
    where = "ot"
    for line in content.splitlines(keepends=True):
        marker = _MARKER.match(line.rstrip(b"\r\n"))
        if marker is None or (where == "ot" and marker[0] != b"<<<<<<< "):
            yield line, where
        else:
            where = {b"<": "o", b"|": "", b"=": "t", b">": "ot"}[marker[0][:1]]
