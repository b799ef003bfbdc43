"""Resolve: which tool a name means, before anything else looks. From there on only the ident counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.errors import ToolNotFound

if TYPE_CHECKING:
    from toolgen.runtime.catalog import Catalog


def resolve(catalog: Catalog, name: str) -> str:
    """Give the ident that a name spells. Raises `ToolNotFound` with what may have been meant."""
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, catalog.suggestions(name))
    return ident
