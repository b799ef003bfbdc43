"""Finding tools and actions by descriptions, among those visible to a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, TypeVarTuple

from toolgen.llm.search.embedders import embedder_of
from toolgen.llm.search.embedding import EndpointClass, FunctionClass, LocalClass
from toolgen.llm.search.fused import ToolSearch
from toolgen.llm.search.index import SearchIndex, search_documents_of, search_index_of
from toolgen.search.documents import SearchDocument, parameter_texts

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.llm.actions.view import ActionEntry, ActionView
    from toolgen.llm.presentations.protocol import Candidates
    from toolgen.llm.search.embedding import Embedder, EmbeddingClass
    from toolgen.llm.search.index import SearchHit
    from toolgen.runtime.catalog.catalog import Catalog


# A cache of computed values, least recently used first out, with a bound on the total weight.

_KeyTs = TypeVarTuple("_KeyTs")
_ValueT = TypeVar("_ValueT")


class Kept(Generic[*_KeyTs, _ValueT]):
    """Calls a function, and caches its return values by arguments.

    The last used value is always kept, and of the others as many as weigh at most `most` in total: sets of tools differ
    in size by a factor of a thousand, so that a maximum number would not bound memory.
    """

    def __init__(self, make: Callable[[*_KeyTs], _ValueT], weigh: Callable[[*_KeyTs], int], most: int) -> None:
        """`weigh` returns the weight of the value for the same arguments."""
        self._make = make
        self._weigh = weigh
        self._most = most
        self._weight = 0
        self._values: dict[tuple[object, ...], tuple[_ValueT, int]] = {}
        self._lock = RLock()

    def __call__(self, *key: *_KeyTs) -> _ValueT:
        """Return the value for hashable arguments: the same object while it is cached."""
        with self._lock:
            found = self._values.pop(key, None)
            if found is None:
                found = (self._make(*key), max(self._weigh(*key), 1))
                self._weight += found[1]
            self._values[key] = found
            while self._weight > self._most and len(self._values) > 1:
                self._weight -= self._values.pop(next(iter(self._values)))[1]
            return found[0]

    def __len__(self) -> int:
        return len(self._values)


_ENTRIES: Final = 20_000
"""Maximum total entries of views with a cached index; a host has about one view for each agent."""


_GONE: Final = 1000
"""Maximum number of removed entries whose documents are kept, in addition to the current number."""

_AT_ONCE: Final = 500
"""Maximum entries that are described in the event loop; more use a thread, because each takes some 90 µs."""

Fused: TypeAlias = "Callable[[SearchIndex, Callable[[Sequence[str]], Iterable[SearchDocument]]], ToolSearch]"
"""Creates a search over an index, given a function that reads documents by key."""


class Finder:
    """Searches by words and, with an embedder, by vectors, which are stored in `vectors_file`."""

    def __init__(self, catalog: Catalog, embedder: Embedder | None = None, vectors_file: Path | None = None) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors_file = vectors_file
        self._actions_of = Kept(self._actions, lambda view: len(view.operations), _ENTRIES)

    async def tools(self, query: str, limit: int, candidates: Candidates) -> list[str]:
        """Return the idents of the candidates that match a query best, at most `limit`."""
        hits = await self._search.search(query, limit, candidates.idents)
        return [hit.key for hit in hits]

    async def actions(self, query: str, limit: int, view: ActionView) -> list[ActionEntry]:
        """Return the visible actions that match a query best, at most `limit`."""
        actions = self._actions_of(view)
        entries = {**await view.resources(), **view.operations}
        hits = await actions.search(query, limit, entries)
        return [entries[hit.key] for hit in hits]

    def _actions(self, _view: ActionView) -> _Actions:
        return _Actions(self._fused)

    @cached_property
    def _search(self) -> ToolSearch:
        index = search_index_of(self._catalog)
        return self._fused(index, lambda idents: search_documents_of(self._catalog, idents))

    def _fused(self, index: SearchIndex, read: Callable[[Sequence[str]], Iterable[SearchDocument]]) -> ToolSearch:
        if self._embedder is None:
            return ToolSearch(index)
        from toolgen.llm.search.vectors import Vectors

        return ToolSearch(index, Vectors(index, self._embedder, read, self._vectors_file))


class _Actions:
    """The actions of one view, with cached documents."""

    def __init__(self, fused: Fused) -> None:
        self._fused = fused
        self._lock = Lock()
        self._documents: Mapping[str, SearchDocument] = {}
        self._search = fused(SearchIndex.build(()), _reader(self._documents))
        self._names = frozenset[str]()

    async def search(self, query: str, limit: int, entries: Mapping[str, ActionEntry]) -> Sequence[SearchHit]:
        looked_at = sum(
            entry.host_description is not None or name not in self._documents for name, entry in entries.items()
        )
        if looked_at <= _AT_ONCE and self._lock.acquire(blocking=False):
            try:
                search, names = self._of(entries)
            finally:
                self._lock.release()
        else:
            search, names = await asyncio.to_thread(self._waited_of, entries)
        return await search.search(query, limit, names)

    def _waited_of(self, entries: Mapping[str, ActionEntry]) -> tuple[ToolSearch, frozenset[str]]:
        with self._lock:
            return self._of(entries)

    def _of(self, entries: Mapping[str, ActionEntry]) -> tuple[ToolSearch, frozenset[str]]:
        """Return the search over these entries, and their names.

        Mappings of documents are replaced, never modified: a running search may still read them.
        """
        if len(self._documents) > 2 * len(entries) + _GONE:
            self._documents = dict[str, SearchDocument]()
            self._search = self._fused(SearchIndex.build(()), _reader(self._documents))
        names = frozenset(entries)
        if names != self._names:  # the same object each time, so that its ranking is cached
            self._names = names
        changed = {
            name: document
            for name, entry in entries.items()
            if (entry.host_description is not None or name not in self._documents)
            and (document := _document(entry)) != self._documents.get(name)
        }
        if changed:
            self._documents = {**self._documents, **changed}
            self._search.extend(changed.values(), _reader(self._documents))
        return self._search, self._names


def _reader(documents: Mapping[str, SearchDocument]) -> Callable[[Sequence[str]], Iterable[SearchDocument]]:
    return lambda names: (documents[name] for name in names)


def embedder_named(name: str, tables: Mapping[str, Mapping[str, Any]]) -> Embedder | None:
    """Return the embedder of a configured embedding class; None for lexical search.

    Raises `EmbeddingError` if it is unavailable.
    """
    classes: dict[str, EmbeddingClass] = {}
    for class_name, table in tables.items():
        kind = EndpointClass if "url" in table else LocalClass if "path" in table else FunctionClass
        classes[class_name] = kind(**table)
    return embedder_of(name, classes)


def _document(entry: ActionEntry) -> SearchDocument:
    return SearchDocument(
        key=entry.name,
        names=(entry.name,),
        title=entry.target.title if entry.host_description is None else "",
        description=f"{entry.description}\n{entry.category.description}",
        parameters=parameter_texts(entry.schema),
        tags=tuple(sorted(entry.target.tags)),
    )
