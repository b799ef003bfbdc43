"""Stored indexes: read once, with postings parsed on access."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.derived import derived_file
from toolgen.search.documents import documents_of_tools
from toolgen.search.index_text import DIGEST_END, INDEX_START, WORDS_END, WORDS_START, write_index
from toolgen.spec.derived import INDEX_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator


_START: Final = re.compile(f"{re.escape(INDEX_START)}([0-9a-f]{{64}}){re.escape(DIGEST_END)}".encode())


class WordLines(Mapping[str, list[int]]):
    """Postings by word, parsed on access."""

    def __init__(self, text: bytes, start: int, end: int) -> None:
        """Take lines of `"word": [...],`; the last has no comma."""
        self._text = text
        self._places: dict[str, int] = {}
        while start < end:
            colon = text.index(b'": [', start)
            word = text[start + 1 : colon]
            self._places[word.decode() if b"\\" not in word else json.loads(b'"%b"' % word)] = colon + 3
            line_end = text.find(b"\n", colon, end)
            start = end if line_end < 0 else line_end + 1

    def __getitem__(self, word: str) -> list[int]:
        """Parse one line. Raises KeyError."""
        start = self._places[word]
        found: list[int] = json.loads(self._text[start : self._text.index(b"]", start) + 1])
        return found

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_stored(text: bytes) -> tuple[dict[str, Any], WordLines] | None:
    """Split an index file into its head and its postings.

    None for another version, and if the digest shows that it differs from what `write_index` wrote.
    """
    written = _START.match(text)
    if written is None or hashlib.sha256(memoryview(text)[written.end() :]).hexdigest().encode() != written[1]:
        return None
    start = text.index(WORDS_START)
    head = json.loads(b"{%b}" % text[written.end() : start].rstrip(b",\n"))
    return head, WordLines(text, start + len(WORDS_START), len(text) - len(WORDS_END))


def index_file_of(package: str) -> bytes:
    """Return the index of a generated package, regenerated if it is missing, stale or damaged.

    Raises `CatalogError`.
    """
    return derived_file(
        package,
        INDEX_FILE,
        lambda catalog, mark: write_index(documents_of_tools(catalog.tools), mark),
        lambda text: read_stored(text) is not None,
    )
