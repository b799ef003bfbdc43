"""Lexical search, fused with vector search if configured: a weighted sum of both scores."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

from toolgen.llm.search.embedding import EmbeddingError
from toolgen.llm.search.index import SearchHit
from toolgen.runtime.redact.warning import warn
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.llm.search.index import SearchIndex
    from toolgen.llm.search.vectors import Read, Vectors
    from toolgen.search.documents import SearchDocument

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
