"""The search index as text: `search_index.json`, derived data of a generated package.

A digest in its head covers the rest, so that a file that was truncated, edited or merged is rejected. There is one word
per line, so that a runtime parses only the lines of the queried words. A line has, in one flat list, the numbers of the
documents with the word, in order, each with the weight of the word there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.search.documents import CountedDocument

if TYPE_CHECKING:
    from toolgen.search.documents import SearchDocument

INDEX_VERSION: Final = 3
"""Must be incremented with every change of words, weights or layout: a runtime rebuilds indexes of other versions."""

INDEX_START: Final = f'{{"version": {INDEX_VERSION},\n"sha256": "'
"""The text before the hexadecimal digest of everything after its line."""

DIGEST_END: Final = '",\n'

WORDS_START: Final = b'"words": {\n'
WORDS_END: Final = b"\n}}\n"


def postings_of(documents: Sequence[SearchDocument], first: int = 0) -> tuple[list[int], dict[str, list[int]]]:
    """Return the weighted length of each document in words, and for each word `[place, weight, place, ...]`.

    The places are numbers of the documents, starting at `first`.
    """
    return _postings([document.counted_words() for document in documents], first)


def _postings(counted: Iterable[Mapping[str, int]], first: int) -> tuple[list[int], dict[str, list[int]]]:
    lengths: list[int] = []
    postings: dict[str, list[int]] = {}
    for place, words in enumerate(counted, first):
        lengths.append(sum(words.values()))
        for word, weight in words.items():
            postings.setdefault(word, []).extend((place, weight))
    return lengths, postings


def write_index(documents: Iterable[SearchDocument], mark: str) -> str:
    """Return the index of documents in any order. `mark` identifies their catalog (`catalog_mark`)."""
    return write_counted(map(CountedDocument.of, documents), mark)


def write_counted(documents: Iterable[CountedDocument], mark: str) -> str:
    """Return the index of documents whose words are counted, as `write_index` does."""
    ordered = sorted(documents, key=lambda document: document.key)
    lengths, postings = _postings((document.words for document in ordered), 0)
    head: Mapping[str, Any] = {
        "keys": [document.key for document in ordered],
        "digests": [document.digest for document in ordered],
        "lengths": lengths,
    }
    lines = [f"{_json_text(key)}: {_json_text(value)}" for key, value in head.items()]
    words = ",\n".join(f"{_json_text(word)}: {_json_text(postings[word])}" for word in sorted(postings))
    covered = ",\n".join([mark, *lines]) + ",\n" + WORDS_START.decode() + words + WORDS_END.decode()
    return f"{INDEX_START}{hashlib.sha256(covered.encode()).hexdigest()}{DIGEST_END}{covered}"


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
