"""Written names: where a name stands in the text of a file, and the edits that write another one in its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from toolgen.authoring.scalars import json_text, scalar_text
from toolgen.authoring.text import BLOCK_HEADER

_PROPERTIES: Final = re.compile(
    r"(?: (?: &[^\s,\[\]{}]+ | !(?:<[^>]*>|[^\s,\[\]{}]*) ) [ \t\r\n]+ (?: \#[^\r\n]*[\r\n][ \t\r\n]* )* )*", re.VERBOSE
)
"""The anchor and the tag of a scalar, which YAML counts to it."""


@dataclass(frozen=True, slots=True)
class TextRange:
    """A range of a file's text: offsets in characters from 0; the end is exclusive."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WrittenScalar:
    """A scalar of a file: what it reads as, and how it is written.

    `place` is that of its node; `content` is the same without an anchor and a tag. `first` is where the value starts in
    the text, if it is written there as it reads; None where it has escapes or is broken into lines. `is_bare` says that
    it has no quotes: then what is written decides what it is.
    """

    value: str
    place: TextRange
    content: TextRange
    first: int | None
    is_bare: bool

    @classmethod
    def of(cls, path: str, text: str, start: int, end: int, value: str) -> WrittenScalar:
        """Return the scalar whose node is between two offsets of a text."""
        inner = content_start(text, start, end)
        first = _first(text[inner:end], value)
        return cls(
            value,
            TextRange(path, start, end),
            TextRange(path, inner, end),
            None if first is None else inner + first,
            is_bare=text[inner : inner + 1] not in ("'", '"', "|", ">"),
        )

    def part(self, start: int, end: int) -> TextRange:
        """Return where a part of the value is written; if it cannot be told from the rest, the whole scalar."""
        if self.first is None:
            return self.content
        return TextRange(self.place.path, self.first + start, self.first + end)

    def replaced(self, parts: Collection[tuple[int, int, str]]) -> str:
        """Return the value with other texts in place of parts, which do not overlap."""
        value = self.value
        for start, end, text in sorted(parts, reverse=True):
            value = f"{value[:start]}{text}{value[end:]}"
        return value

    def edits(self, parts: Collection[tuple[int, int, str]]) -> Iterator[tuple[TextRange, str]]:
        """Yield the edits after which it reads as `replaced` says.

        They are of the parts alone where the text of the rest is as before, or else of all but an anchor and a tag.
        """
        value = self.replaced(parts)
        is_json = self.place.path.lower().endswith(".json")
        written = json_text(value) if is_json else scalar_text(value, in_flow=True)
        if self.first is None or (self.is_bare and written != value):
            yield self.content, written
        else:
            yield from ((self.part(start, end), text) for start, end, text in parts)


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it is written: a part of a scalar, by the offsets in its value."""

    scalar: WrittenScalar
    start: int
    end: int

    @property
    def text(self) -> str:
        """The name as it reads."""
        return self.scalar.value[self.start : self.end]

    @property
    def place(self) -> TextRange:
        """Where it is written."""
        return self.scalar.part(self.start, self.end)


def content_start(text: str, start: int, end: int) -> int:
    """Return where the content of a scalar starts, after its anchor and its tag."""
    found = _PROPERTIES.match(text, start, end)
    return found.end() if found else start


def _first(text: str, value: str) -> int | None:
    """Return where a value starts in the text of its scalar, if it is written there as it reads."""
    if text == value:
        return 0
    if text[:1] in ("'", '"') and text[1:-1] == value:
        return 1
    header = BLOCK_HEADER.match(text)
    body = re.compile(r"[\r\n]").search(text, header.end()) if header else None
    return text.index(value, body.start()) if body and text[body.start() :].strip(" \r\n") == value else None
