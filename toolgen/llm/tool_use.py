"""Tool use: combines the catalog, the configuration of the layers, and the entries that the host lists."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeAlias, TypeVar, TypeVarTuple, assert_never

from toolgen.contract.records import NOTHING, ToolsetRegistration
from toolgen.llm.actions.catalog import action_catalog
from toolgen.llm.actions.hot_list import HotList, owner_of
from toolgen.llm.actions.view import ActionView, Resources
from toolgen.llm.conversation import Conversation, offered_tool, provider_named
from toolgen.llm.presentations.enumerate_all import EnumerateAll
from toolgen.llm.presentations.protocol import Candidates, ToolListing
from toolgen.llm.presentations.retrieval import Retrieval
from toolgen.llm.presentations.universal_category import UniversalCategory
from toolgen.llm.search.embedders import embedder_of
from toolgen.llm.search.embedding import EndpointClass, FunctionClass, LocalClass
from toolgen.llm.search.index import SearchIndex, ToolSearch, search_documents_of, search_index_of
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.providers.table import provider_tool_name
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.processes import ForkSafeLock
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.policy.permission import deny_all
from toolgen.search.documents import SearchDocument, parameter_texts
from toolgen.spec.builtin import DISCOVERY, SEARCH_TOOLS
from toolgen.spec.tool_use import DEFAULT_PRESENTATIONS, LAYERS, ToolUseConfig

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.contract.records import Response, ToolCallMeta, ToolRequest, ToolResult
    from toolgen.llm.actions.catalog import ActionCatalog
    from toolgen.llm.actions.view import ActionEntry, ResourceProvider
    from toolgen.llm.codeact import CodeActLimits, SandboxPool
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.llm.search.embedding import Embedder, EmbeddingClass
    from toolgen.llm.search.index import SearchHit
    from toolgen.providers.protocol import OfferedTool, OfferProblem, ToolPayload
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.effective import EffectiveSet
    from toolgen.runtime.runs.run import Run
    from toolgen.spec.tool_use import Layer, PresentationName

_TOOLS: Final = 20_000
"""Maximum total tools in cached sets, and in cached requests: some 2 kB each."""


_WITHOUT_TOOLS: Final = ToolListing(tools=(), dispatchable=())
"""The cache weight of listings without tools: they may have a large prompt, and belong to one conversation."""


class ToolUse:
    """Shows the tools of a catalog to models, as configured.

    `resources` list the entries of categories with entries from the host, by category. `hot_list` counts used actions;
    by default a new one. `vectors_file` stores the vectors of an embedding class. `codeact_limits` are the limits of a
    model's code. Where tools are only shown, `searches=False` leaves the embedding class alone, which may run code.
    Raises `EmbeddingError` for an unknown embedding class.
    """

    def __init__(
        self,
        catalog: Catalog,
        config: ToolUseConfig | None = None,
        *,
        resources: Mapping[str, ResourceProvider] = NOTHING,
        hot_list: HotList | None = None,
        vectors_file: Path | None = None,
        codeact_limits: CodeActLimits | None = None,
        searches: bool = True,
    ) -> None:
        self.catalog = catalog
        self.config = ToolUseConfig() if config is None else config
        self.hot_list = HotList() if hot_list is None else hot_list
        embedding_class = self.config.embedding_class if searches else ""
        self.finder = Finder(catalog, embedder_named(embedding_class, self.config.embedding_classes), vectors_file)
        self._resources = resources
        self._codeact_limits = codeact_limits
        self._candidate_of = Kept(self._candidate, lambda _ident, _provider: 1, _TOOLS)
        self._candidates_of = Kept(self._candidates, lambda effective, _provider: len(effective.offered), _TOOLS)
        self._view_of = Kept(self._view, lambda effective: len(effective.offered), _TOOLS)
        self._universal_of = Kept(self._universal, lambda effective: len(effective.offered), _TOOLS)
        self._payload_of = Kept(self._payload, lambda _provider, listing: len(listing.tools), _TOOLS)
        self._alone_of = Kept(self._each_alone, lambda _provider, listing: len(listing.tools), _TOOLS)

    def conversation(self, layer: Layer, runtime: Runtime, run: Run, provider: str = "openai") -> Conversation:
        """Start a conversation of a model in a layer, whose calls `runtime` makes in `run`.

        Raises ValueError for an unknown layer or provider, `CatalogError` if the catalog lacks what the layer's
        presentation needs, and `UnsupportedCapability` if the provider cannot represent a tool.
        """
        if layer not in LAYERS:
            raise ValueError(f"there is no layer {layer!r}; there are {', '.join(LAYERS)}")
        return self._conversation(self.presentation(layer, run, provider), runtime, run, provider)

    def tagged(self, runtime: Runtime, run: Run, provider: str = "openai") -> Conversation:
        """Start a conversation in which tools are called by lines of text, independent of layers.

        Raises `CatalogError` for an invalid tag.
        """
        return self._conversation(self.tags(run), runtime, run, provider)

    def tags(self, run: Run) -> Presentation:
        """Return the presentation of a run's tag tools. Raises `CatalogError` for an invalid tag."""
        from toolgen.llm.tags.definition import TagLine, tag_idents, tool_defs
        from toolgen.llm.tags.reply import Tags

        idents, offered = tag_idents(self.catalog), frozenset(run.effective.offered)
        tools = {ident: tool for tool in tool_defs(self.catalog) if (ident := idents[tool.name]) in offered}
        return Tags({ident: TagLine.of(tool, self.catalog.schema(ident, "args")) for ident, tool in tools.items()})

    def presentation(self, layer: Layer, run: Run, provider: str = "openai") -> Presentation:
        """Return the presentation of a run's tools in a layer. Raises as `conversation` does."""
        name = presentations_in(self.catalog, self.config)[layer]
        candidates = self._candidates_of(run.effective, provider)
        if name == "universal-category":
            self._check_lists(name)
            self._check_runs_lists(run)
            universal = self._universal_of(run.effective)
            self._check_tells_of(provider, universal.build_presentation())
            return universal.noting(partial(self.hot_list.note, owner=owner_of(run.meta)))
        if name == "retrieval":
            self._check_lists(name)
            search = self._discovery(run.effective).get(SEARCH_TOOLS)
            problems = self._alone_of(provider, candidates.flat)
            if problems:
                raise UnsupportedCapability(provider, problems)
            return Retrieval(candidates, search, self._base, partial(self._fits, provider))
        if name == "codeact":
            from toolgen.llm.codeact import CodeAct, read_stubs

            stubs = read_stubs(self.catalog.package) if self.catalog.package else None
            return CodeAct(candidates, stubs=stubs, limits=self._codeact_limits, pool=self._codeact_pool)
        if name == "enumerate-all":
            self._check_tells_of(provider, candidates.flat)
            return EnumerateAll(candidates)
        assert_never(name)

    def view(self, run: Run) -> ActionView:
        """Return the actions of a run. Raises `CatalogError` if there is no unique action catalog."""
        return self._view_of(run.effective)

    def candidates(self, run: Run, provider: str = "openai") -> Candidates:
        """Return the tools of a run that may be shown to a model."""
        return self._candidates_of(run.effective, provider)

    @property
    def hot_list_size(self) -> int:
        """How many actions listings show first."""
        size = self.config.hot_list_size
        return self.actions.hot_list_size if size is None else size

    @cached_property
    def actions(self) -> ActionCatalog:
        """The action catalog. Raises `CatalogError` if there is no unique one."""
        return action_catalog(self.catalog, self.config.catalog)

    @cached_property
    def _codeact_pool(self) -> SandboxPool:
        """The processes that run models' code, shared by all conversations; they end with this object."""
        from toolgen.llm.codeact import SandboxPool

        return SandboxPool()

    @cached_property
    def _base(self) -> Sequence[str]:
        idents: list[str] = []
        for name in self.config.base:
            ident = self.catalog.names.ident(name)
            if ident is None:
                meant = nearest(name, self.catalog, count=1)
                hint = f"; did you mean {meant[0]!r}?" if meant else ""
                raise CatalogError(f"`base` of `action_retrieval` has {name!r}, but there is no such tool{hint}")
            idents.append(ident)
        return idents

    def _conversation(self, presentation: Presentation, runtime: Runtime, run: Run, provider: str) -> Conversation:
        return Conversation(
            presentation,
            provider_named(provider),
            RunOps(runtime, run),
            partial(self._payload_for, provider),
            run,
        )

    def _payload_for(self, provider: str, listing: ToolListing) -> ToolPayload:
        return self._payload_of(provider, listing if listing.tools else _WITHOUT_TOOLS)

    def _check_tells_of(self, provider: str, listing: ToolListing) -> None:
        problems = self._payload_for(provider, listing).problems
        if problems:
            raise UnsupportedCapability(provider, problems)

    def _payload(self, provider: str, listing: ToolListing) -> ToolPayload:
        return provider_named(provider).tools(listing.tools)

    def _candidates(self, effective: EffectiveSet, provider: str) -> Candidates:
        known = provider_named(provider)

        def spell(ident: str) -> str:
            return provider_tool_name(ident, self.catalog.wire_name(ident), known)

        return Candidates(effective.offered, lambda ident: self._candidate_of(ident, provider), spell)

    def _candidate(self, ident: str, provider: str) -> OfferedTool:
        name = self.catalog.wire_name(ident)
        spelling = provider_tool_name(ident, name, provider_named(provider)) if provider else name
        return offered_tool(self.catalog.definition(ident), spelling)

    def _discovery(self, effective: EffectiveSet) -> dict[str, OfferedTool]:
        """Return the discovery tools of a run, by key."""
        return {ident.rpartition(".")[2]: self._candidate_of(ident, "") for ident in effective.offered_discovery}

    def _view(self, effective: EffectiveSet) -> ActionView:
        settings = {**self.config.settings, "embedding_class": self.config.embedding_class}
        resources = Resources(self.actions, self._resources)
        return ActionView(self.actions, self._candidates_of(effective, "openai"), settings, resources)

    def _universal(self, effective: EffectiveSet) -> UniversalCategory:
        discovery = self._discovery(effective)
        return UniversalCategory(self._view_of(effective), discovery, self.config.tier)

    def _check_lists(self, name: str) -> None:
        if not _has_actions(self.catalog):
            raise CatalogError(
                f"the presentation {name!r} needs the built-in toolset `actions`: add it to `builtin` of the target, "
                "and run `toolgen build`"
            )

    def _check_runs_lists(self, run: Run) -> None:
        if any(run.effective.excluded.get(ident) is ExclusionReason.NO_EXECUTOR for ident in DISCOVERY):
            raise CatalogError(
                "the presentation 'universal-category' needs an executor for the toolset `actions`: pass "
                "`ActionTools(tool_use).registration()` to the runtime in `executors`"
            )

    def _each_alone(self, provider: str, listing: ToolListing) -> tuple[OfferProblem, ...]:
        """Return the tools that a provider cannot represent in any request."""
        known = provider_named(provider)
        return tuple(problem for tool in listing.tools for problem in known.tools([tool]).problems)

    def _fits(self, provider: str, offered: Sequence[OfferedTool]) -> bool:
        return not provider_named(provider).tools(offered).problems


def presentations_in(catalog: Catalog, config: ToolUseConfig) -> Mapping[Layer, PresentationName]:
    """Return the presentation of each layer: a default with wrappers lists all tools where the catalog has none."""
    if _has_actions(catalog):
        return config.presentations
    found = dict(config.presentations)
    for layer in LAYERS:
        is_default = layer not in (config.chosen or ()) and found[layer] == DEFAULT_PRESENTATIONS[layer]
        if is_default and found[layer] == "universal-category":
            found[layer] = "enumerate-all"
    return found


def _has_actions(catalog: Catalog) -> bool:
    return all(ident in catalog for ident in DISCOVERY)


class RunOps:
    """The operations of presentations: the calls of a turn, in one run."""

    def __init__(self, runtime: Runtime, run: Run) -> None:
        self._runtime = runtime
        self._run = run

    async def call(self, requests: Sequence[ToolRequest], response: Response | None = None) -> list[ToolResult[Any]]:
        """Make the calls of one turn."""
        return await self._runtime.turn(requests, self._run, response=response)


# Finding tools and actions by descriptions, among those visible to a run.

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
        self._lock = ForkSafeLock()

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

_Fused: TypeAlias = "Callable[[SearchIndex, Callable[[Sequence[str]], Iterable[SearchDocument]]], ToolSearch]"
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

    def __init__(self, fused: _Fused) -> None:
        self._fused = fused
        self._lock = ForkSafeLock()
        self._documents: Mapping[str, SearchDocument] = {}
        self._search = fused(SearchIndex.build(()), _reader(self._documents))
        self._names = frozenset[str]()

    async def search(self, query: str, limit: int, entries: Mapping[str, ActionEntry]) -> Sequence[SearchHit]:
        looked_at = sum(
            entry.host_description is not None or name not in self._documents for name, entry in entries.items()
        )
        if looked_at <= _AT_ONCE and self._lock.acquire(timeout=0):
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
            documents = {**self._documents, **changed}
            self._search.extend(changed.values(), _reader(documents))
            self._documents = documents
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


# A runtime for runs that make no calls: what shows tools to models needs one, and its figures too.


def idle_runtime(catalog: Catalog) -> Runtime:
    """Build a runtime for runs that make no calls; every toolset has an executor that raises."""
    executors = [ToolsetRegistration(toolset=toolset, executor=_Idle()) for toolset in catalog.toolsets]
    return Runtime(catalog, executors=executors, permission=deny_all)


class _Idle:
    """The executor of a toolset in a run that makes no calls."""

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> NoReturn:
        raise AssertionError(f"{request.name} was called in a run that makes no calls")
