"""Resolve: which tool a name means, before anything else looks; and whether anything can run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import FailureKind, ToolError
from toolgen.runtime.errors import ToolNotFound

if TYPE_CHECKING:
    from toolgen.runtime.call import Stage
    from toolgen.runtime.catalog import Catalog


def resolve(catalog: Catalog, name: str) -> str:
    """Give the ident that a name spells. Raises `ToolNotFound` with what may have been meant."""
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, catalog.suggestions(name))
    return ident


def without_executor(ident: str, toolset: str) -> Stage:
    """Make the only stage of a tool that nothing runs."""
    error = ToolError(
        message=f"{ident} cannot run here",
        kind=FailureKind.UNAVAILABLE,
        code="no_executor",
        hint=f"go on without it: this host has no executor for the toolset {toolset}",
    )
    return lambda _call: error
