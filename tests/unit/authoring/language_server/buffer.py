"""The text of an editor, edited as the protocol says, without the server's code: in bytes of the encoding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsprotocol import types

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""The codec of each encoding of positions, and the bytes of a unit."""

BREAKS = ["\n", "\r\n", "\r"]
NO_BREAKS = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"]
"""Characters that end lines in Python, or in other programs, but not in the protocol."""


@dataclass
class Buffer:
    """A text. `encoding` is that of positions."""

    text: str
    encoding: str = "utf-16"

    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return re.split(r"\r\n|\r|\n", self.text)

    def starts(self) -> list[int]:
        """The offsets of the lines, in characters."""
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", self.text))]

    def offset(self, at: types.Position) -> int:
        """The offset of a position; one beyond the end of its line, or of the text, is that end."""
        lines = self.lines()
        if at.line >= len(lines):
            return len(self.text)
        codec, size = CODECS[self.encoding]
        data = lines[at.line].encode(codec)[: at.character * size]
        return self.starts()[at.line] + len(data.decode(codec, "ignore"))

    def replace(self, edited: types.Range, text: str) -> None:
        """Replace a range."""
        self.text = self.text[: self.offset(edited.start)] + text + self.text[self.offset(edited.end) :]

    def apply(self, edits: list[types.TextEdit]) -> None:
        """Apply edits of one answer, whose ranges are all of the text as it is now."""
        for edit in sorted(edits, key=lambda each: self.offset(each.range.start), reverse=True):
            self.replace(edit.range, edit.new_text)
