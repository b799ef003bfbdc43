"""Resolve: which tool a name means. From here on only its ident is known, but for `metadata["raw_tool_name"]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.errors import ToolNotFound

if TYPE_CHECKING:
    from toolgen.runtime.call import Call
    from toolgen.runtime.catalog import Catalog


def resolve(catalog: Catalog, call: Call) -> str:
    """Put the ident in the place of whatever name was used. Raises `ToolNotFound` with what may have been meant."""
    name = call.tool_name
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, catalog.suggestions(name))
    if ident != name:
        call.tool_name = ident
        call.metadata["raw_tool_name"] = name
    return ident
