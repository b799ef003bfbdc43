"""Search: finds the visible documents that match a query best, by a lexical index, fused with vectors if configured."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

from toolgen.llm.search.embedding import EmbeddingError
from toolgen.runtime.base.packages import derived_file
from toolgen.runtime.redact.warning import warn
from toolgen.search.documents import (
    DIGEST_END,
    INDEX_START,
    WORDS_END,
    WORDS_START,
    document_of_tool,
    documents_of_tools,
    postings_of,
    write_index,
)
from toolgen.search.ranking import Postings, Ranking, Spelling
from toolgen.spec.derived import INDEX_FILE
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.llm.search.vectors import Read, Vectors
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.search.documents import SearchDocument

# Stored indexes: read once, with postings parsed on access.

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


_RANKINGS: Final = 16
"""Maximum number of cached rankings, one per set of visible documents; a host has about one for each agent."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One document that was found. Scores are only comparable within one query.

    A lexical score is about the share of the query that is in the document, from 0 to 1; rare words have more weight.
    """

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class _Held:
    """The data of one document in an index: its number in postings, its length, and its digest."""

    place: int
    length: int
    digest: str


class SearchIndex:
    """Documents by key, with their words. Immutable; created with `build`, `load` and `extended`."""

    def __init__(self, held: Mapping[str, _Held], postings: Postings) -> None:
        self._held = held
        self._postings = postings
        self._rankings: dict[frozenset[str] | None, Ranking] = {}

    @classmethod
    def build(cls, documents: Iterable[SearchDocument]) -> SearchIndex:
        """Index documents; of two with the same key the last."""
        return cls({}, Postings({}, {})).extended(documents)

    @classmethod
    def load(cls, text: bytes) -> SearchIndex | None:
        """Load an index file; None if it is invalid. Postings are parsed on access."""
        stored = read_stored(text)
        if stored is None:
            return None
        head, words = stored
        rows = zip(head["keys"], head["lengths"], head["digests"], strict=True)
        held = {key: _Held(place, length, digest) for place, (key, length, digest) in enumerate(rows)}
        return cls(held, Postings(words, {}))

    def extended(self, documents: Iterable[SearchDocument]) -> SearchIndex:
        """Return an index with documents added, or replaced by key. Unchanged ones cost nothing."""
        changed = {each.key: each for each in documents if self.digest(each.key) != each.digest}
        if not changed:
            return self
        first = 1 + max((each.place for each in self._held.values()), default=-1)
        lengths, words = postings_of(list(changed.values()), first)
        rows = zip(changed.values(), lengths, strict=True)
        held = {each.key: _Held(place, length, each.digest) for place, (each, length) in enumerate(rows, first)}
        return SearchIndex({**self._held, **held}, self._postings.extended(words))

    def search(self, query: str, limit: int, allowed: Collection[str] | None = None) -> tuple[SearchHit, ...]:
        """Return at most `limit` documents, best first, ties by key; any text is a valid query.

        With `allowed`, only these keys are found, and order, scores and spelling corrections are as if the index had no
        others. Pass the same frozenset each time: its ranking is cached.
        """
        found, most = self._ranking(None if allowed is None else frozenset(allowed)).best(query, limit)
        keys = self._keys
        ranked = sorted((-score, keys[place]) for place, score in found.items())[: max(limit, 0)]
        return tuple(SearchHit(key, -score / most) for score, key in ranked)

    def shares(self, query: str, key: str, allowed: Collection[str] | None = None) -> dict[str, float]:
        """Return what each word of a query adds to the score of a document: `search`, explained to people."""
        ranking = self._ranking(None if allowed is None else frozenset(allowed))
        _, most = ranking.best(query, 0)
        found = ranking.shares(query, self._held[key].place) if key in self._held else {}
        return {word: score / most for word, score in found.items()}

    def digest(self, key: str) -> str:
        """Return the digest of a document; empty if there is none with this key."""
        held = self._held.get(key)
        return "" if held is None else held.digest

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def _ranking(self, allowed: frozenset[str] | None) -> Ranking:
        known = self._rankings.get(allowed)
        if known is None:
            keys = self._held if allowed is None else self._held.keys() & allowed
            lengths = {self._held[key].place: self._held[key].length for key in keys}
            known = Ranking(lengths, self._postings, lambda: self._spelling)
            kept = list(self._rankings.items())[1 - _RANKINGS :]
            self._rankings = {**dict(kept), allowed: known}
        return known

    @cached_property
    def _keys(self) -> dict[int, str]:
        return {held.place: key for key, held in self._held.items()}

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._postings)


# The index of a catalog: the index of its package, and registered tools.


def search_index_of(catalog: Catalog) -> SearchIndex:
    """Return the index of all tools of a catalog, by ident. Tools of its package are in the stored index.

    If the package on disk has changed since it was loaded, the tools are indexed separately.
    """
    index = _stored(catalog) or SearchIndex.build(())
    return index.extended(search_documents_of(catalog, (ident for ident in catalog if ident not in index)))


def _stored(catalog: Catalog) -> SearchIndex | None:
    index = SearchIndex.load(index_file_of(catalog.package)) if catalog.package else None
    compiled = {ident for ident in catalog if catalog.registered(ident) is None}
    return index if index is not None and set(index) == compiled else None


def search_documents_of(catalog: Catalog, idents: Iterable[str]) -> Iterator[SearchDocument]:
    """Return the search documents of tools. Raises `ToolNotFound`."""
    for ident in idents:
        tool = catalog.definition(ident)
        yield document_of_tool(
            ident,
            source_name=tool.settings.source_name,
            title=tool.title,
            description=tool.description,
            args=tool.input_schema,
            inject=tool.settings.inject,
            tags=tool.tags,
        )


# Lexical search, fused with vector search if configured: a weighted sum of both scores.

_VECTORS: Final = 0.45
"""The weight of vectors in a fused score; words have the rest. Tuned with all-MiniLM-L6-v2 on the
tuning half of `benchmarks/search_queries.jsonl`, where 0.3 to 0.55 came within one point of each other at 5."""

_DEPTH: Final = 50
"""Minimum number of top documents of each ranking that are considered."""

_PAUSE: Final = 60.0
"""Seconds before a failed embedder is used again; until then search is lexical."""


class ToolSearch:
    """Finds documents of an index. If vectors fail, search is lexical."""

    def __init__(
        self, index: SearchIndex, vectors: Vectors | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._index = index
        self._vectors = vectors
        self._clock = clock
        self._paused_until = float("-inf")
        self._warned = False

    def extend(self, documents: Iterable[SearchDocument], read: Read | None = None) -> None:
        """Add documents, or replace those with the same keys; cached data of others is kept.

        `read` replaces the function that reads documents by key, and must still read earlier ones for running searches.
        """
        index = self._index.extended(documents)
        if self._vectors is not None:  # first, so that a search in another thread finds the documents of the index
            source = self._vectors.source
            self._vectors.source = replace(source, index=index, read=read or source.read)
        self._index = index

    async def search(self, query: str, limit: int, allowed: Collection[str] | None = None) -> tuple[SearchHit, ...]:
        """Find at most `limit` documents, the best first, as `SearchIndex.search` does; embeds in a thread."""
        import asyncio  # slow to import, and words alone do not need it

        index, vectors = self._index, self._vectors
        if vectors is None or not query.strip() or limit < 1 or self._clock() < self._paused_until:
            return index.search(query, limit, allowed)
        keys = index if allowed is None else [key for key in allowed if key in index]
        depth = max(_DEPTH, 4 * limit)
        try:
            near = await asyncio.to_thread(vectors.nearness, query, keys, vectors.source)
        except Exception as error:  # noqa: BLE001  # whatever a model does, search goes on
            self._note(error)
            return index.search(query, limit, allowed)
        worded = {hit.key: hit.score for hit in index.search(query, depth, allowed)}
        return fuse(worded, near, limit, depth)

    def _note(self, error: Exception) -> None:
        """Pause the embedder after an error, and log the first; documents still being embedded are not an error."""
        from toolgen.llm.search.vectors import NotYetError

        if isinstance(error, NotYetError):
            return
        self._paused_until = self._clock() + _PAUSE
        if not self._warned:
            self._warned = True
            reason = str(error) if isinstance(error, EmbeddingError) else f"{type(error).__name__} was raised"
            warn("search continues without vectors: %s", visible(reason))


def fuse(worded: Mapping[str, float], near: Mapping[str, float], limit: int, depth: int) -> tuple[SearchHit, ...]:
    """Fuse the lexical scores and the similarities of documents; ties are ordered by key.

    Only the `depth` most similar ones are considered.
    """
    nearest = nsmallest(depth, near, key=lambda key: (-near[key], key))
    scores = {
        key: (1 - _VECTORS) * worded.get(key, 0.0) + _VECTORS * near[key] for key in dict.fromkeys((*worded, *nearest))
    }
    best = nsmallest(limit, scores, key=lambda key: (-scores[key], key))
    return tuple(SearchHit(key, scores[key]) for key in best)
