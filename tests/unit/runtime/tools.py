"""Helpers to register tools, create a runtime for them, and make a call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

ANY_ARGS = {"type": "object"}


def catalog_of(handler: Callable[..., Any] = lambda _args: "ran", name: str = "own.tool", **fields: Any) -> Catalog:
    """Return a catalog with one tool."""
    return add(Catalog(), handler, name, **fields)


def add(catalog: Catalog, handler: Callable[..., Any], name: str, **fields: Any) -> Catalog:
    """Add a tool to a catalog."""
    fields = {"description": "x", "input_schema": ANY_ARGS, **fields}
    catalog.register(ToolDefinition(name=name, **fields), handler)
    return catalog


class MustNotRun:
    """An executor that must not run."""

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> ToolResult[Any]:
        raise AssertionError(f"{request.name} ran")


def idle_executors(catalog: Catalog, *but: str) -> list[ToolsetRegistration]:
    """Return executors for all compiled toolsets except some, for tests about what may be called."""
    return [ToolsetRegistration(toolset=name, executor=MustNotRun()) for name in catalog.toolsets if name not in but]


def must_not_run(_args: Any) -> None:
    """A handler that must not run."""
    raise AssertionError("it ran")


def runtime_of(catalog: Catalog, **settings: Any) -> Runtime:
    """Return a runtime that allows all calls by default."""
    return Runtime(catalog, **{"permission": allow_all, **settings})


async def call(
    runtime: Runtime, name: str = "own.tool", payload: str = "{}", *, user: str | None = "ann", run: Any = None
) -> ToolResult[Any]:
    """Make a call."""
    request = ToolRequest(name=name, payload=payload, tool_call_id="c")
    return await runtime.invoke(request, meta=ToolCallMeta(user=user), run=run)


def call_now(runtime: Runtime, name: str = "own.tool", payload: str = "{}", **more: Any) -> ToolResult[Any]:
    """Make a call in a new loop."""
    return asyncio.run(call(runtime, name, payload, **more))


def code_of(result: ToolResult[Any]) -> str:
    """Return how a call ended: the code of its error, or `ok`."""
    return "ok" if result.error is None else result.error.code
