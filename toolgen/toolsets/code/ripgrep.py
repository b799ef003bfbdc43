"""The output of ripgrep: which lines of which files it has found, read as it comes and in bounded memory.

Its JSON has whole lines, and each match in them. Of a long line only the beginning is kept.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

KEPT_BYTES: Final = 4096 + len("\r\n")
"""How much is kept of a line: what is shown of it, and its end."""

_HEAD_BYTES: Final = 65536
"""How much is kept of an event: enough for a path and the beginning of a line, with each character escaped."""

_NUMBERS: Final = re.compile(rb'"\},"line_number":\d+,"absolute_offset":\d+,')
"""What follows a line in its event. It cannot be in the text of a line, where quotes are escaped."""

_NUMBERS_BYTES: Final = 128
"""More than `_NUMBERS` matches."""

_LONGEST_ESCAPE: Final = len(r"\u000a")


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line: its number, its offset in bytes, and up to `KEPT_BYTES` of it. All are those of the decoded file."""

    number: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class FoundFile:
    """The lines that were found in a file, by its names below the folder; `has_nul` if ripgrep came upon a NUL."""

    names: tuple[str, ...]
    lines: tuple[FoundLine, ...]
    has_nul: bool


class Output:
    """Parses the output of `rg --json` in parts of any size."""

    def __init__(self) -> None:
        self._event = bytearray()
        self._cut_at: int | None = None
        self._lines = list[FoundLine]()

    def take(self, data: bytes) -> Iterator[FoundFile]:
        """Receive the next part; return the files whose search has ended."""
        first, *rest = data.split(b"\n")
        self._add(first)
        for part in rest:
            yield from self._end_event()
            self._add(part)

    def _add(self, part: bytes) -> None:
        """Add to an event. Of one that is longer than its head, only the numbers after the line are looked for."""
        if self._cut_at is not None:
            return
        event, before = self._event, len(self._event)
        event += part
        if len(event) > _HEAD_BYTES:
            numbers = _NUMBERS.search(event, before - _NUMBERS_BYTES if before > _HEAD_BYTES else 0)
            if numbers is None:
                del event[_HEAD_BYTES:-_NUMBERS_BYTES]
            else:
                self._cut_at = min(numbers.start(), _HEAD_BYTES)
                event[:] = event[: self._cut_at] + numbers[0].removesuffix(b",") + b"}}"

    def _end_event(self) -> Iterator[FoundFile]:
        event, cut_at = bytes(self._event), self._cut_at
        self._event.clear()
        self._cut_at = None
        if event.startswith(b'{"type":"match"'):
            data = _parsed(event, cut_at)
            content = _bytes(data["lines"])[:KEPT_BYTES]
            self._lines.append(FoundLine(data["line_number"], data["absolute_offset"], content))
        elif event.startswith(b'{"type":"end"'):
            data = _parsed(event, cut_at)
            path = _bytes(data["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
            yield FoundFile(tuple(path.split("/")), tuple(self._lines), has_nul=data["binary_offset"] is not None)
            self._lines.clear()


def _parsed(event: bytes, cut_at: int | None) -> Any:
    """Parse an event, from whose line a part may have been cut: so a character or an escape may be incomplete there."""
    if cut_at is None:
        return json.loads(event)["data"]
    for end in range(cut_at, cut_at - _LONGEST_ESCAPE, -1):
        try:
            return json.loads(event[:end] + event[cut_at:])["data"]
        except ValueError:
            continue
    raise ValueError("an event of ripgrep has another form")


def _bytes(data: dict[str, str]) -> bytes:
    """Decode ripgrep's representation of text that may not be UTF-8; its end may be cut off."""
    if "bytes" in data:
        return base64.b64decode(data["bytes"][: len(data["bytes"]) // 4 * 4])
    return data["text"].encode()
