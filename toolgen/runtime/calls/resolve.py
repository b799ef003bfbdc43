"""Resolve: finds the tool of a name, before all other stages. From there on only the ident is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from toolgen.contract.records import NOT_OFFERED
from toolgen.runtime.base.errors import ToolNotFound
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog


class Offers(Protocol):
    """What offers tools to a caller: a run, or all runs together."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Their idents."""
        ...


def resolve(catalog: Catalog, name: str, visible: Offers) -> str:
    """Return the ident of a name. Raises `ToolNotFound`, with suggestions from the tools that are offered."""
    if is_not_offered(name):
        raise ToolNotFound(name)
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, nearest(name, visible.offered))
    return ident


def is_not_offered(name: Any) -> bool:
    """Whether a name is marked as not offered to the model. `name` may be of any type."""
    return isinstance(name, str) and name.endswith(NOT_OFFERED)
