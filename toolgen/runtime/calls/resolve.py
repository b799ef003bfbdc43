"""Resolve: finds the tool of a name, before all other stages. From there on only the ident is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.contract.records import NOT_OFFERED
from toolgen.runtime.base.errors import ToolNotFound
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolgen.runtime.catalog.catalog import Catalog


def resolve(catalog: Catalog, name: str, visible: Collection[str] | None = None) -> str:
    """Return the ident of a name. Raises `ToolNotFound` with suggestions from the visible tools.

    Tools that were not offered are not suggested: the model may not know their names.
    """
    if is_not_offered(name):
        raise ToolNotFound(name)
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, catalog.suggestions(name) if visible is None else nearest(name, visible))
    return ident


def is_not_offered(name: Any) -> bool:
    """Whether a name is marked as not offered to the model. `name` may be of any type."""
    return isinstance(name, str) and name.endswith(NOT_OFFERED)
