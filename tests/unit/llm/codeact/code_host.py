"""A runtime with registered tools, and a code conversation of a model with them."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from toolgen.llm.codeact import CodeAct, CodeActLimits, SandboxPool
from toolgen.llm.presentations.protocol import Candidates, Turn
from toolgen.providers.protocol import ModelReply, OfferedTool
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolgen.contract.records import Response, ToolRequest, ToolResult
    from toolgen.runtime.runs.run import Run

QUICK = CodeActLimits(seconds=0.3, memory_bytes=96 * 1024 * 1024)
"""Limits that a test reaches quickly."""


def candidates_of(catalog: Catalog, idents: Iterable[str] | None = None) -> Candidates:
    """Return the tools of a catalog as candidates of a presentation."""

    def read(ident: str) -> OfferedTool:
        found = catalog.definition(ident)
        return OfferedTool(
            ident=ident,
            name=catalog.wire_name(ident),
            title=found.title,
            description=found.description,
            permission=found.permission,
            tags=frozenset(found.tags),
            args=found.input_schema,
            result=found.result_schema,
        )

    return Candidates(catalog if idents is None else idents, read, catalog.wire_name)


def tool(catalog: Catalog, name: str, handler: Callable[..., Any], **properties: Any) -> None:
    """Register a tool whose args are all required."""
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    catalog.register(ToolDefinition(name=name, description=f"Does {name}.", input_schema=schema), handler)


class CodeHost:
    """A host that makes calls with a real runtime, and records requests and results."""

    def __init__(self, catalog: Catalog, *, run: Run | None = None, **settings: Any) -> None:
        self.catalog = catalog
        self.run = run
        self.runtime = Runtime(catalog, **{"permission": allow_all, **settings})
        self.requests: list[ToolRequest] = []
        self.results: list[ToolResult[Any]] = []

    async def call(self, requests: Sequence[ToolRequest], /, response: Response | None = None) -> list[ToolResult[Any]]:
        """Make the calls of a presentation."""
        self.requests += requests
        if self.run is None:
            results = [await self.runtime.invoke(request) for request in requests]
        else:
            results = await self.runtime.turn(requests, self.run, response=response)
        self.results += results
        return results

    def codeact(self, **settings: Any) -> CodeAct:
        """Return a conversation with all tools."""
        return CodeAct(candidates_of(self.catalog), **settings)

    def outcomes(self, *snippets: str, codeact: CodeAct | None = None, **settings: Any) -> list[Turn]:
        """Run the snippets in one conversation."""
        conversation = codeact or self.codeact(**settings)

        async def run_all() -> list[Turn]:
            return [await conversation.execute(Turn(code=code), self) for code in snippets]

        return asyncio.run(run_all())

    def reports(self, *snippets: str, **settings: Any) -> list[str]:
        """Return the reports of the snippets."""
        return [outcome.report for outcome in self.outcomes(*snippets, **settings)]


def code_host(**tools: Callable[..., Any]) -> CodeHost:
    """Return a host with tools that take `x` of any type; by default `echo`, which returns it."""
    catalog = Catalog()
    for name, handler in (tools or {"echo": lambda args: args["x"]}).items():
        tool(catalog, f"lab.{name}", handler, x={})
    return CodeHost(catalog)


def pids_of_used_pool() -> list[int]:
    """Return the processes of a pool, to which nothing refers, after four conversations at a time."""
    pool = SandboxPool(idle=1)
    world = code_host()
    conversations = [world.codeact(pool=pool) for _ in range(4)]

    async def run_all() -> list[str]:
        outcomes = await asyncio.gather(*(each.execute(Turn(code="result = 1"), world) for each in conversations))
        return [outcome.report for outcome in outcomes]

    assert asyncio.run(run_all()) == ["result: 1"] * 4
    assert all(is_alive(pid) for pid in pool.pids)
    return pool.pids


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def reply(text: str) -> ModelReply:
    """Return an answer of a model without calls."""
    return ModelReply(text=text)
