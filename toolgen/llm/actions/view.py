"""Views of runs on an action catalog: the actions that each may call and see, and resources that a host lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.contract.actions import ResolvedAction, UnknownActionError, suggested
from toolgen.contract.ident import build, split
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.redact.warning import warn
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.contract.actions import ActionRule, Args
    from toolgen.llm.actions.catalog import Action, ActionCatalog, Category
    from toolgen.llm.presentations.protocol import Candidates
    from toolgen.providers.protocol import OfferedTool

_MANY: Final = 200
"""Number of names from which similar ones are searched in a thread: difflib takes some 20 µs each."""

PURITY: Final = {"readonly": "read_only", "write": "side_effect"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionEntry:
    """One visible action; its target is loaded on use. `host_description` is the host's description of a resource."""

    name: str
    category: Category
    action: Action
    candidates: Candidates
    host_description: str | None = None

    @property
    def target(self) -> OfferedTool:
        """The target tool."""
        return self.candidates[self.action.target]

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the caller's args."""
        return self.target.args if self.action.schema is None else self.action.schema

    @property
    def description(self) -> str:
        """Its description; for an entry of the host, what it is, and what invoking it does."""
        if self.host_description is None:
            return self.target.description
        host_description = self.host_description.strip() or self.category.description.strip()
        return f"{host_description}\n{self.category.invoke}".strip()

    @property
    def short_description(self) -> str:
        """The first line of its description."""
        return self.description.strip().partition("\n")[0].strip()

    def as_found(self) -> dict[str, Any]:
        """Its form in listings of its category and in search results."""
        return {
            "qualified_name": self.name,
            "description": self.description,
            "input_schema": deepcopy(dict(self.schema)),
        }

    def as_described(self) -> dict[str, Any]:
        """Its form when it is described by name."""
        target = self.target
        metadata = {
            "target_tool_name": target.ident,
            "category": self.category.name,
            "purity": PURITY[target.permission],
        }
        return {**self.as_found(), "metadata": metadata}


class ActionView:
    """The actions of a catalog with targets in `candidates`, in categories that `settings` do not hide."""

    def __init__(
        self,
        catalog: ActionCatalog,
        candidates: Candidates,
        settings: Mapping[str, str],
        resources: Resources,
    ) -> None:
        self.catalog = catalog
        self._candidates = candidates
        self._resources = resources
        self._settings = settings

    @cached_property
    def categories(self) -> Mapping[str, Category]:
        """The visible categories, in order: not hidden, and with at least one callable action."""
        return {
            category.name: category
            for category in self.catalog.categories
            if self._is_seen(category.name) and any(target in self._candidates for target in category.targets)
        }

    @property
    def can_be_searched(self) -> bool:
        """Whether settings allow searching actions."""
        search = self.catalog.search
        return search.predicate(self._settings.get(search.setting))

    @cached_property
    def operations(self) -> Mapping[str, ActionEntry]:
        """The visible fixed entries, by qualified name, in order."""
        found = {
            name: ActionEntry(name=name, category=category, action=action, candidates=self._candidates)
            for category in self.categories.values()
            for entry, action in category.actions.items()
            if action.target in self._candidates
            for name in [build(category.name, entry)]
        }
        return dict(sorted(found.items()))

    @property
    def targets(self) -> frozenset[str]:
        """The idents that actions of visible categories lead to, listed or not."""
        targets = (target for category in self.categories.values() for target in category.targets)
        return frozenset(target for target in targets if target in self._candidates)

    @property
    def successors(self) -> Mapping[str, str]:
        """The new names of renamed categories."""
        return {old: category.name for category in self.categories.values() for old in category.formerly}

    async def entries(self, categories: Iterable[str] = ()) -> dict[str, ActionEntry]:
        """Return the current entries of some categories, or of all, by qualified name, in order."""
        chosen = list(categories) or list(self.categories)
        found = {name: entry for name, entry in self.operations.items() if entry.category.name in chosen}
        return dict(sorted({**await self.resources(chosen), **found}.items()))

    async def resources(self, categories: Iterable[str] | None = None) -> dict[str, ActionEntry]:
        """Return the entries that the host currently lists, in some categories or in all, by qualified name."""
        found = [
            self._of_host(category, resource.name, resource.description)
            for category in (self.categories if categories is None else categories)
            for resource in await self._listed(category)
        ]
        return {entry.name: entry for entry in found}

    async def find(self, name: str) -> ActionEntry:
        """Return one action, listed or not. Raises `UnknownActionError`, without suggestions."""
        _, category, entry = self.rule(name)
        known = self.operations.get(name)
        if known is not None:
            return known
        listed = {each.name: each.description for each in await self._listed(category)}
        return self._of_host(category, entry, listed.get(entry, ""))

    def rule(self, name: str) -> tuple[ActionRule, str, str]:
        """Return the rule of a visible action, and the parts of its name. Raises `UnknownActionError`.

        Hidden actions are treated as unknown.
        """
        tables = self.catalog.tables
        try:
            category, entry = split(name, self.categories)
        except ValueError as error:
            raise UnknownActionError(name, str(error)) from None
        rule = tables.operations.get(name) or tables.resources.get(category)
        if rule is None or rule.target not in self._candidates:
            raise UnknownActionError(name, f"the category {category!r} has no entry {entry!r}")
        return rule, category, entry

    def target_of(self, name: str) -> str:
        """Return the target ident of an action, visible or not, for the record; empty if there is none."""
        try:
            return self.catalog.tables.find(name)[0].target
        except UnknownActionError:
            return ""

    def resolve(self, name: str, args: Args) -> ResolvedAction:
        """Return the call of an action. Raises `UnknownActionError`, without suggestions, and `ArgsNotMapped`."""
        rule, _, entry = self.rule(name)
        return ResolvedAction(rule.target, rule.transform(entry, args))

    async def suggestions(self, name: str) -> tuple[str, ...]:
        """Return the visible names similar to a name, best first."""
        return await self.nearest(name, await self.names())

    async def names(self) -> list[str]:
        """Return all visible names."""
        return [*self.operations, *await self.resources()]

    async def nearest(self, name: str, known: list[str]) -> tuple[str, ...]:
        """Return the known names similar to a name, best first."""
        if len(known) < _MANY:
            return suggested(name, known)
        from asyncio import to_thread  # slow to import, and few catalogs need it

        return await to_thread(suggested, name, known)

    async def _listed(self, category: str) -> tuple[Resource, ...]:
        return () if self.categories[category].resource is None else await self._resources.of(category)

    def _is_seen(self, category: str) -> bool:
        visibility = self.catalog.visibility.get(category)
        return visibility is None or visibility.predicate(self._settings.get(visibility.setting))

    def _of_host(self, category: str, entry: str, host_description: str) -> ActionEntry:
        found = self.categories[category]
        assert found.resource is not None  # names of others are only fixed ones
        return ActionEntry(
            name=build(category, entry),
            category=found,
            action=found.resource,
            candidates=self._candidates,
            host_description=host_description,
        )


@dataclass(frozen=True, slots=True)
class Resource:
    """One entry: its name in its category, and its description."""

    name: str
    description: str = ""


ResourceProvider: TypeAlias = Callable[
    [], "Iterable[Resource | tuple[str, str]] | Awaitable[Iterable[Resource | tuple[str, str]]]"
]
"""Lists the current entries of a category: resources, or pairs of a name and a description."""

_PATIENCE: Final = 5.0
"""Timeout in seconds of an async provider. A sync one blocks the event loop, so it must be fast."""


_NAME: Final = 500
_DESCRIPTION: Final = 2000
"""Maximum characters of a listed entry. A longer name is rejected, a longer description is truncated."""


class Resources:
    """The providers of categories' entries, called for every listing. If one fails, its category has no entries."""

    def __init__(
        self, catalog: ActionCatalog, providers: Mapping[str, ResourceProvider], patience: float = _PATIENCE
    ) -> None:
        """Raise `CatalogError` for a category without entries from the host."""
        known = [category.name for category in catalog.categories if category.resource is not None]
        for name in providers:
            if name not in known:
                meant = nearest(name, known, count=1)
                hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(known) or 'none'}"
                raise CatalogError(f"there is no category {name!r} with entries from the host; {hint}")
        self._providers = providers
        self._patience = patience

    async def of(self, category: str) -> tuple[Resource, ...]:
        """Return the entries of a category, sorted by name, each once; invalid ones are skipped with a warning."""
        provider = self._providers.get(category)
        if provider is None:
            return ()
        try:
            given = provider()
            listed = list(await self._in_time(given) if isawaitable(given) else given)
        except Exception as error:  # noqa: BLE001  # code of the host: its entries are skipped
            warn("the entries of the category %r cannot be listed", category, error=error)
            return ()
        found: dict[str, Resource] = {}
        for each in listed:
            resource = _resource(each)
            if resource is None:
                warn(
                    "an entry of the category %r is skipped: it is not a pair of a name, of at most "
                    f"{_NAME} characters, and a description",
                    category,
                )
            else:
                found.setdefault(resource.name, resource)
        return tuple(found[name] for name in sorted(found))

    async def _in_time(self, given: Awaitable[Iterable[Resource | tuple[str, str]]]) -> Iterable[Any]:
        from asyncio import wait_for  # few providers are async

        async def listed() -> Iterable[Any]:
            return await given

        return await wait_for(listed(), self._patience)


def _resource(given: Any) -> Resource | None:
    """Convert an item of a provider; None if it is not an entry or cannot be sent to a model."""
    if isinstance(given, Resource):
        parts: list[Any] = [given.name, given.description]
    elif isinstance(given, tuple | list):
        parts = list(cast("list[Any]", given))
    else:
        return None
    if len(parts) != 2 or not parts[0] or not all(isinstance(text, str) for text in parts):
        return None
    name, description = parts[0], cut(parts[1], _DESCRIPTION)
    if len(name) > _NAME or not _can_be_sent(name + description):
        return None
    return Resource(name, description)


def _can_be_sent(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
