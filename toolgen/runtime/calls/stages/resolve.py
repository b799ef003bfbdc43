"""Resolve: which tool a name means, before anything else looks. From there on only the ident counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.contract.records import NOT_OFFERED
from toolgen.runtime.base.errors import ToolNotFound
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolgen.runtime.catalog.catalog import Catalog


def resolve(catalog: Catalog, name: str, visible: Collection[str] | None = None) -> str:
    """Return the ident that a name spells. Raises `ToolNotFound` with what may have been meant, of what is visible.

    Of what was not offered nothing is suggested: the model may not know these names.
    """
    if is_not_offered(name):
        raise ToolNotFound(name)
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, catalog.suggestions(name) if visible is None else nearest(name, visible))
    return ident


def is_not_offered(name: Any) -> bool:
    """Whether a name means something that a model was not offered. It may be anything that a host took for a name."""
    return isinstance(name, str) and name.endswith(NOT_OFFERED)
