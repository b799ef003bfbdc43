"""The search index as text: `search_index.json`, derived data of a generated package.

A digest in its head covers all that follows, so that a file that was cut, edited or merged is not taken for an index.
One word a line, so that a runtime reads the lines of the words that are asked for. A line holds, in one flat list, the
places of the documents that have the word, in their order, each with how much the word weighs there.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.search.documents import SearchDocument

INDEX_FILE: Final = "search_index.json"
INDEX_VERSION: Final = 3
"""To be raised with every change of words, weights or layout: a runtime reads no other, and builds its own."""

INDEX_START: Final = f'{{"version": {INDEX_VERSION},\n"sha256": "'
"""What stands before the digest, in hexadecimal digits, of all that follows its line."""

DIGEST_END: Final = '",\n'

WORDS_START: Final = b'"words": {\n'
WORDS_END: Final = b"\n}}\n"


def postings_of(documents: Sequence[SearchDocument], first: int = 0) -> tuple[list[int], dict[str, list[int]]]:
    """Return the length of each document in words, as they weigh, and for each word `[place, weight, place, ...]`.

    The places are those of the documents, counted from `first`.
    """
    lengths: list[int] = []
    postings: dict[str, list[int]] = {}
    for place, document in enumerate(documents, first):
        counted = document.counted_words()
        lengths.append(counted.total())
        for word, weight in counted.items():
            postings.setdefault(word, []).extend((place, weight))
    return lengths, postings


def write_index(documents: Iterable[SearchDocument], mark: str) -> str:
    """The index of documents, whatever their order. `mark` says of which catalog they are (`catalog_mark`)."""
    ordered = sorted(documents, key=lambda document: document.key)
    lengths, postings = postings_of(ordered)
    head: Mapping[str, Any] = {
        "keys": [document.key for document in ordered],
        "digests": [document.digest for document in ordered],
        "lengths": lengths,
    }
    lines = [f"{_text(key)}: {_text(value)}" for key, value in head.items()]
    words = ",\n".join(f"{_text(word)}: {_text(postings[word])}" for word in sorted(postings))
    covered = ",\n".join([mark, *lines]) + ",\n" + WORDS_START.decode() + words + WORDS_END.decode()
    return f"{INDEX_START}{hashlib.sha256(covered.encode()).hexdigest()}{DIGEST_END}{covered}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
