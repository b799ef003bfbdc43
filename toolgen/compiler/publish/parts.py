"""Parts: the pieces of generated files that have separate digests in a lock, by tool.

Files with content of every tool (`catalog.json`, `TOOLS.md`, call builders, transforms) are split by tool or function;
everything else is one part. Between conflict markers a file counts as two files, one for each side of the merge.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENTRY: Final = re.compile(rb'^"([\w.-]+)":\n(\{.*\}),?\n', re.MULTILINE)
"""A tool in `catalog.json`: its ident on one line, all else on the next."""

_ROW_OR_SECTION: Final = re.compile(rb"^(?:\| \[`([\w.-]+)`\].*\n|### `([\w.-]+)`\n(?:(?!##).*\n?)*)", re.MULTILINE)
"""A tool in `TOOLS.md`: its row in the table of its toolset, and its section, up to the next heading."""

_FUNCTION: Final = re.compile(rb"^def (\w+)\((?:(?!def ).*\n?)*", re.MULTILINE)

_START: Final = b"<<<<<<< "
_CONFLICT: Final = re.compile(b"^" + _START, re.MULTILINE)
_MARKER: Final = re.compile(rb"<<<<<<< |\|\|\|\|\|\|\| |=======$|>>>>>>> ")


def parts_of(path: str, content: bytes) -> dict[str, bytes]:
    """Split a generated file: name to content. The rest is the part with an empty name."""
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
        part = found[2] if pattern is _ENTRY else found[0]
        parts[named.decode()] = parts.get(named.decode(), b"") + part.rstrip(b"\n")
    return parts


def has_conflict(content: bytes) -> bool:
    """Return whether a file has conflict markers."""
    return _START in content and _CONFLICT.search(content) is not None


def sides(content: bytes) -> list[bytes]:
    """Return the versions that a file with conflict markers was merged from; without markers, the file itself."""
    if not has_conflict(content):
        return [content]
    read = [*_sides(content)]
    return [b"".join(line for line, where in read if side in where) for side in "ot"]


def _sides(content: bytes) -> Iterator[tuple[bytes, str]]:
    """Iterate over the lines without markers, each with its sides: `o`urs, `t`heirs."""
    where = "ot"
    for line in BytesIO(content):
        marker = _MARKER.match(line.rstrip(b"\r\n"))
        if marker is None or (where == "ot" and marker[0] != b"<<<<<<< "):
            yield line, where
        else:
            where = {b"<": "o", b"|": "", b"=": "t", b">": "ot"}[marker[0][:1]]
