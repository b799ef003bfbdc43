"""Search by words, and by vectors where they are configured: both rankings fused by reciprocal rank."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgen.llm.search.embedding import EmbeddingError
from toolgen.llm.search.index import Hit
from toolgen.runtime.redact.warning import warn
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from toolgen.llm.search.index import Index
    from toolgen.llm.search.vectors import Read, Vectors
    from toolgen.search.documents import SearchDocument

_DAMPING: Final = 60
"""The k of reciprocal rank fusion; Cormack, Clarke and Büttcher 2009."""

_DEPTH: Final = 50
"""How far down each ranking is looked at, at least."""

_PAUSE: Final = 60.0
"""Seconds before an embedder that failed is asked again; until then words alone decide."""


class Search:
    """Finds documents of an index. One that has vectors never fails for them: without, words alone decide."""

    def __init__(
        self, index: Index, vectors: Vectors | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._index = index
        self._vectors = vectors
        self._clock = clock
        self._paused_until = float("-inf")
        self._warned = False

    def extend(self, documents: Iterable[SearchDocument], read: Read | None = None) -> None:
        """From now on find these as well, or instead of those with their keys; what is known of others stays known.

        `read` reads all documents by key from now on, and has to go on reading those of before for searches under way.
        """
        index = self._index.extended(documents)
        if self._vectors is not None:  # first, so that a search of another thread finds in it what the index holds
            source = self._vectors.source
            self._vectors.source = replace(source, index=index, read=read or source.read)
        self._index = index

    async def search(self, query: str, limit: int, allowed: Collection[str] | None = None) -> tuple[Hit, ...]:
        """Find at most `limit` documents, the best first, as `Index.search` does; the embedder runs in a thread."""
        index, vectors = self._index, self._vectors
        if vectors is None or not query.strip() or limit < 1 or self._clock() < self._paused_until:
            return index.search(query, limit, allowed)
        keys = index if allowed is None else [key for key in allowed if key in index]
        depth = max(_DEPTH, 4 * limit)
        try:
            near = await asyncio.to_thread(vectors.nearest, query, depth, keys, vectors.source)
        except Exception as error:  # noqa: BLE001 (whatever a model does, search goes on)
            self._note(error)
            return index.search(query, limit, allowed)
        worded = [hit.key for hit in index.search(query, depth, allowed)]
        return fuse((worded, near), limit)

    def _note(self, error: Exception) -> None:
        """Leave the embedder alone for a while after an error, and warn of the first; one that works on is none."""
        from toolgen.llm.search.vectors import NotYetError

        if isinstance(error, NotYetError):
            return
        self._paused_until = self._clock() + _PAUSE
        if not self._warned:
            self._warned = True
            reason = str(error) if isinstance(error, EmbeddingError) else f"{type(error).__name__} was raised"
            warn("search goes on by words alone: %s", visible(reason))


def fuse(rankings: Sequence[Sequence[str]], limit: int) -> tuple[Hit, ...]:
    """Fuse rankings, each the best first: every place gives `1 / (60 + rank)`; ties by key."""
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] += 1 / (_DAMPING + rank)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    return tuple(Hit(key, scores[key]) for key in best)
