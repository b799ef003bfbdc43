"""The lexical index: finds the visible documents that match a query best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgen.llm.search.stored import read_stored
from toolgen.search.index_text import postings_of
from toolgen.search.postings import Postings
from toolgen.search.ranking import Ranking
from toolgen.search.spelling import Spelling

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from toolgen.search.documents import SearchDocument

_RANKINGS: Final = 16
"""Maximum number of cached rankings, one per set of visible documents; a host has about one for each agent."""


@dataclass(frozen=True, slots=True)
class Hit:
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


class Index:
    """Documents by key, with their words. Immutable; created with `build`, `load` and `extended`."""

    def __init__(self, held: Mapping[str, _Held], postings: Postings) -> None:
        self._held = held
        self._postings = postings
        self._rankings: dict[frozenset[str] | None, Ranking] = {}

    @classmethod
    def build(cls, documents: Iterable[SearchDocument]) -> Index:
        """Index documents; of two with the same key the last."""
        return cls({}, Postings({}, {})).extended(documents)

    @classmethod
    def load(cls, text: bytes) -> Index | None:
        """Load an index file; None if it is invalid. Postings are parsed on access."""
        stored = read_stored(text)
        if stored is None:
            return None
        head, words = stored
        rows = zip(head["keys"], head["lengths"], head["digests"], strict=True)
        held = {key: _Held(place, length, digest) for place, (key, length, digest) in enumerate(rows)}
        return cls(held, Postings(words, {}))

    def extended(self, documents: Iterable[SearchDocument]) -> Index:
        """Return an index with documents added, or replaced by key. Unchanged ones cost nothing."""
        changed = {each.key: each for each in documents if self.digest(each.key) != each.digest}
        if not changed:
            return self
        first = 1 + max((each.place for each in self._held.values()), default=-1)
        lengths, words = postings_of(list(changed.values()), first)
        rows = zip(changed.values(), lengths, strict=True)
        held = {each.key: _Held(place, length, each.digest) for place, (each, length) in enumerate(rows, first)}
        return Index({**self._held, **held}, self._postings.extended(words))

    def search(self, query: str, limit: int, allowed: Collection[str] | None = None) -> tuple[Hit, ...]:
        """Return at most `limit` documents, best first, ties by key; any text is a valid query.

        With `allowed`, only these keys are found, and order, scores and spelling corrections are as if the index had no
        others. Pass the same frozenset each time: its ranking is cached.
        """
        found, most = self._ranking(None if allowed is None else frozenset(allowed)).best(query, limit)
        keys = self._keys
        ranked = sorted((-score, keys[place]) for place, score in found.items())[: max(limit, 0)]
        return tuple(Hit(key, -score / most) for score, key in ranked)

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
