"""Resolve: which tool a name means, before anything else looks; and whether there is anything to run.

It is done once for each name, so what is left for a call is at most one stage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import FailureKind, ToolError
from toolgen.runtime.result import not_available

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Stage
    from toolgen.runtime.catalog import Catalog


def respelled(ident: str) -> Stage:
    """Make the first stage of calls by another name than the ident: from there on only the ident is known."""

    def respell(call: Call) -> None:
        call.metadata["raw_tool_name"] = call.tool_name
        call.tool_name = ident

    return respell


def unknown(catalog: Catalog, name: str) -> Stage:
    """Make the only stage of a call by a name that spells no tool."""
    error = not_available(name, catalog.suggestions(name))
    return lambda _call: error


def without_executor(ident: str, toolset: str) -> Stage:
    """Make the only stage of a tool that nothing runs."""
    error = ToolError(
        message=f"{ident} cannot run here",
        kind=FailureKind.UNAVAILABLE,
        code="no_executor",
        hint=f"go on without it: this host has no executor for the toolset {toolset}",
    )
    return lambda _call: error
