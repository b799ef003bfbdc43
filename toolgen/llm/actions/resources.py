"""Resources: entries of categories that the host lists at run time: skills, peers, memory records, corpora."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.llm.actions.catalog import ActionCatalog


@dataclass(frozen=True, slots=True)
class Resource:
    """One entry: its name in its category, and its description."""

    name: str
    description: str = ""


ResourceProvider: TypeAlias = Callable[
    [], "Iterable[Resource | tuple[str, str]] | Awaitable[Iterable[Resource | tuple[str, str]]]"
]
"""Lists the current entries of a category: resources, or pairs of a name and a description."""

PATIENCE: Final = 5.0
"""Timeout in seconds of an async provider. A sync one blocks the event loop, so it must be fast."""


_NAME: Final = 500
_DESCRIPTION: Final = 2000
"""Maximum characters of a listed entry. A longer name is rejected, a longer description is truncated."""


class Resources:
    """The providers of categories' entries, called for every listing. If one fails, its category has no entries."""

    def __init__(
        self, catalog: ActionCatalog, providers: Mapping[str, ResourceProvider], patience: float = PATIENCE
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
    name, description = parts
    if len(description) > _DESCRIPTION:
        description = f"{description[: _DESCRIPTION - 1]}…"
    if len(name) > _NAME or not _can_be_sent(name + description):
        return None
    return Resource(name, description)


def _can_be_sent(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
