"""Split: a toolset file in its head and its tools, so that some of its tools can be read without the others.

Only the form that people and importers write is split: each key of the file and of its tools is plain and begins a
line, and nothing follows the tools but the fingerprints of an import. What such a split takes for the start of a tool
could only be in brackets or a quoted text, which would then be open at the end of the text before it: reading that
fails, and the whole file is read. What it takes for a key of the file may be in a quoted text too, but no key is left
out. A text that could be over the limits of a file is not split, so that they hold for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgen.compiler.source.limits import MAX_VALUES, TEXT_WEIGHT
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span

_TOOLS: Final = re.compile(r"^tools:[ ]*(?:#.*)?$", re.MULTILINE)
_TAIL: Final = re.compile(r"^imported:[ ]*$", re.MULTILINE)
_INDENTED: Final = re.compile(r"^( *)[^ \n#]", re.MULTILINE)
_ANCHOR: Final = re.compile(r"&(?<![^\s\[{,:]&)[^\s,\[\]{}]")
_BEFORE_VALUES: Final = ",:-[{"
"""Before each value but the outermost one there is one of these."""

_KEY: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*):(?= |$)")
_START: Final = re.compile(r"---[ ]*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file: the number of the first one, from 1, the offset that it starts at, and the text."""

    first: int
    start: int
    text: str

    @property
    def end(self) -> int:
        """The line behind the last one."""
        return self.first + self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))


@dataclass(frozen=True, slots=True)
class SplitText:
    """The text of a toolset file: `head`, up to the first tool, the tools by key, and `tail`, which may be empty.

    `head_keys` are the keys of the file in its head.
    """

    path: str
    head: Lines
    tools: dict[str, Lines]
    tail: Lines
    head_keys: frozenset[str]

    def offsets(self, key: str) -> tuple[int, int]:
        """Return where the text of a tool starts and ends."""
        lines = self.tools[key]
        return lines.start, lines.start + len(lines.text)

    def only(self, keys: Collection[str], *, with_tail: bool = False) -> Source:
        """Return a source with the head and some tools, whose spans are those of the whole file."""
        parts = [self.head, *(lines for key, lines in self.tools.items() if key in keys)]
        return _Excerpt(self.path, [*parts, self.tail] if with_tail else parts)


class _Excerpt(Source):
    """Some lines of a file."""

    def __init__(self, path: str, parts: Collection[Lines]) -> None:
        super().__init__(path, "".join(part.text for part in parts))
        self._lines = [0, *(line for part in parts for line in range(part.first, part.end))]
        self._lines.append(self._lines[-1] + 1)  # where a value ends with the last line

    def span(self, start: int, end: int) -> Span:
        """The span in the whole file."""
        found = super().span(start, end)
        return replace(found, line=self._lines[found.line], end_line=self._lines[found.end_line])

    def offsets(self, span: Span) -> tuple[int, int]:
        """Raise TypeError: an excerpt does not have all offsets of its file."""
        raise TypeError(f"an excerpt has no offset of {span}")


def split_tools(path: str, text: str) -> SplitText | None:
    """Split the text of a toolset file; None if it is JSON, not a toolset, or not in the form that can be split."""
    start = _TOOLS.search(text)
    if start is None or "\r" in text or path.lower().endswith(".json") or _ANCHOR.search(text):
        return None
    if sum(map(text.count, _BEFORE_VALUES)) + len(text) // TEXT_WEIGHT > MAX_VALUES:
        return None
    head_lines = [line[2] for line in _up_to(0).finditer(text, 0, start.end()) if not _START.fullmatch(line[2])]
    head_keys = [key[1] for key in map(_KEY.match, head_lines) if key]
    if len(head_keys) < len(head_lines):
        return None
    behind = _TAIL.search(text, start.end())
    end = behind.start() if behind else len(text)
    first = _INDENTED.search(text, start.end(), end)
    if first is None or not first[1]:
        return None
    keys: dict[str, int] = {}
    for line in _up_to(len(first[1])).finditer(text, start.end() + 1, end):
        key = _KEY.match(line[2])
        if key is None or line[1] != first[1] or key[1] in keys:
            return None
        keys[key[1]] = line.start()
    if behind and _up_to(0).search(text, behind.end()):
        return None
    starts = [*keys.values(), end]
    number = text.count("\n", 0, starts[0]) + 1
    head = Lines(1, 0, text[: starts[0]])
    tools: dict[str, Lines] = {}
    for key_text, begin, after in zip(keys, starts, starts[1:], strict=False):
        tools[key_text] = Lines(number, begin, text[begin:after])
        number = tools[key_text].end
    return SplitText(path, head, tools, Lines(number, end, text[end:]), frozenset(head_keys))


@cache
def _up_to(indent: int) -> re.Pattern[str]:
    """Return the pattern of lines with a limited indentation that are neither blank nor a comment."""
    return re.compile(rf"^( {{0,{indent}}})([^ \n#].*)$", re.MULTILINE)
