"""The output of ripgrep: which lines of which files it has found, read as it comes and in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen.toolsets.entries import Names

KEPT_BYTES: Final = 4096 + len("\r\n")
"""How much is kept of a line: what is shown of it, and its end."""

FORM: Final = (
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--null",
    "--line-number",
    "--byte-offset",
    f"--max-columns={KEPT_BYTES}",
    "--max-columns-preview",
)
"""The options for the output that is read here. Not `--json`, for which ripgrep keeps all matches of a line in memory.

For each line a path, NUL, the number of the line, a colon, its offset, a colon, and the line; of one with more than
`KEPT_BYTES` as many characters.
"""

_HEAD: Final = re.compile(rb"(?:\./)?([^\0]+)\0(\d+):(\d+):")
_HEAD_BYTES: Final = 65_536
"""More than what stands before a line."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line: its number, its offset in bytes, and up to `KEPT_BYTES` of it. All are those of the decoded file."""

    number: int
    offset: int
    content: bytes


class Output:
    """Parses the output of ripgrep in parts of any size."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def take(self, data: bytes) -> Iterator[tuple[Names, FoundLine]]:
        """Receive the next part; return the lines that end in it, each with the names of its file below the folder."""
        self._rest += data
        at = 0
        while head := _HEAD.match(self._rest, at):
            start = head.end()
            end = self._rest.find(b"\n", start)
            if end < 0:
                del self._rest[start + KEPT_BYTES :]
                break
            content = bytes(self._rest[start : min(end, start + KEPT_BYTES)]).removesuffix(b"\r")
            names = head[1].decode("utf-8", "surrogateescape").split("/")
            yield tuple(names), FoundLine(int(head[2]), int(head[3]), content)
            at = end + 1
        del self._rest[:at]
        if head is None and len(self._rest) > _HEAD_BYTES:
            raise ValueError("the output of ripgrep has another form")
