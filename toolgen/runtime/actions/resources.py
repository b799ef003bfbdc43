"""Resources: entries of categories that the host names at run time: skills, peers, memory records, corpora."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, TypeAlias

from toolgen.runtime.errors import CatalogError
from toolgen.runtime.suggest import nearest
from toolgen.runtime.warning import warn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime.actions.catalog import ActionCatalog


@dataclass(frozen=True, slots=True)
class Resource:
    """One entry: its name in its category, and what a model is told of it."""

    name: str
    description: str = ""


Provider: TypeAlias = Callable[
    [], "Iterable[Resource | tuple[str, str]] | Awaitable[Iterable[Resource | tuple[str, str]]]"
]
"""Names what there is in a category now: resources, or pairs of a name and a description."""


class Resources:
    """What names the entries of categories, each asked anew for every listing. One that fails has no entries then."""

    def __init__(self, catalog: ActionCatalog, providers: Mapping[str, Provider]) -> None:
        """Raise `CatalogError` for a category that does not take entries from the host."""
        known = [category.name for category in catalog.categories if category.resource is not None]
        for name in providers:
            if name not in known:
                meant = nearest(name, known, count=1)
                hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(known) or 'none'}"
                raise CatalogError(f"no category {name!r} takes entries from the host; {hint}")
        self._providers = providers

    async def of(self, category: str) -> tuple[Resource, ...]:
        """Give the entries of a category, sorted by name; without names, and those named twice, left out."""
        provider = self._providers.get(category)
        if provider is None:
            return ()
        try:
            given = provider()
            listed = await given if isawaitable(given) else given
            found = [each if isinstance(each, Resource) else Resource(*each) for each in listed]
        except Exception as error:  # noqa: BLE001  # a provider is the host's; what it cannot list is not listed
            warn("the entries of the category %r cannot be listed", category, error=error)
            return ()
        by_name = {each.name: each for each in reversed(found) if each.name}
        return tuple(by_name[name] for name in sorted(by_name))
