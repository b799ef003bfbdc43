"""One call over stdio, of a server with one tool: toolgen's, by the client executor and by the SDK's client, and peers.

`python -m benchmarks.measured.mcp_calls ROUNDS REPEATS` prints microseconds of a call by case, one figure a round.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.measured.cases import ARGS, TOOL
from benchmarks.projects import PACKAGE

if TYPE_CHECKING:
    Call = Callable[[], Awaitable[object]]

CallT = TypeVar("CallT", bound="Call")


def command(name: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.measured.mcp_servers", name]


async def sdk_client(stack: AsyncExitStack, server: str, tool: str) -> Call:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    program, *args = command(server)
    client = await stack.enter_async_context(Client(StdioServerParameters(command=program, args=args)))
    await client.list_tools()
    return lambda: client.call_tool(tool, json.loads(ARGS))


async def fastmcp_client(stack: AsyncExitStack) -> Call:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    program, *args = command("fastmcp")
    client: Client[Any] = await stack.enter_async_context(Client(StdioTransport(program, args)))
    await client.list_tools()
    return lambda: client.call_tool("search_issues", json.loads(ARGS))


async def client_executor(stack: AsyncExitStack) -> Call:
    from toolgen.execute import McpExecutor, McpHost, McpServer
    from toolgen.runtime import ToolCallMeta, ToolDefinition, ToolRequest, load

    catalog = load(PACKAGE)
    definition = catalog.definition(TOOL)
    remote = ToolDefinition(
        name="mcp.bench.search",
        description=definition.description,
        input_schema=definition.input_schema,
        result_schema=definition.result_schema,
        metadata={"source_name": catalog.wire_name(TOOL)},
    )
    server = McpServer(stdio=tuple(command("toolgen")), on_drift="warn")
    executor = await stack.enter_async_context(McpExecutor({remote.name: remote}, server, McpHost()))
    request, meta = ToolRequest(name=remote.name, payload=ARGS), ToolCallMeta()
    return lambda: executor.execute(request, meta)


async def measure(rounds: int, repeats: int) -> dict[str, list[float]]:
    from toolgen.runtime import load

    async with AsyncExitStack() as stack:
        cases: dict[str, Call] = {
            "toolgen serve, client executor": await client_executor(stack),
            "toolgen serve, SDK client": await sdk_client(stack, "toolgen", load(PACKAGE).wire_name(TOOL)),
            "SDK server and client": await sdk_client(stack, "sdk", "search_issues"),
            "FastMCP server and client": await fastmcp_client(stack),
        }
        return (await times_of(cases, rounds, {"alone": partial(alone, repeats=repeats)}))["alone"]


async def times_of(
    cases: Mapping[str, CallT], rounds: int, ways: Mapping[str, Callable[[CallT], Awaitable[float]]]
) -> dict[str, dict[str, list[float]]]:
    """Return by way and case the microseconds of a call in each round; the cases take turns in a round."""
    report: dict[str, dict[str, list[float]]] = {way: {name: [] for name in cases} for way in ways}
    for call in cases.values():
        check(await call())
    for _ in range(rounds):
        for name, call in cases.items():
            for way, timed in ways.items():
                report[way][name].append(await timed(call) * 1e6)
    return report


async def alone(call: Call, repeats: int) -> float:
    """Return the seconds of a call, of `repeats` one after the other."""
    start = perf_counter()
    for _ in range(repeats):
        await call()
    return (perf_counter() - start) / repeats


def check(answer: Any) -> None:
    failed = answer.error if hasattr(answer, "error") else answer.is_error
    assert not failed, answer


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), int(sys.argv[2])))))
