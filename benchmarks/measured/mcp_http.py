"""One call over HTTP, alone and with 200 at once, of a server with one tool: toolgen's, the SDK's and FastMCP's.

`python -m benchmarks.measured.mcp_http ROUNDS REPEATS` prints microseconds of a call by case, one figure a round. The
client is the SDK's in all cases, so that only the servers differ.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from contextlib import AsyncExitStack, closing
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mcp import Client

from benchmarks.measured.cases import ARGS, PACKAGE, TOOL
from benchmarks.measured.mcp_calls import check, command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Call = Callable[[], Awaitable[object]]

AT_ONCE: Final = 200


async def client_of(stack: AsyncExitStack, server: str, tool: str) -> Call:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*command(server), str(port)], stderr=subprocess.DEVNULL)  # noqa: ASYNC220  # once
    stack.callback(process.wait)
    stack.callback(process.terminate)
    await listening(process, port)
    client = await stack.enter_async_context(Client(f"http://127.0.0.1:{port}/mcp"))
    await client.list_tools()
    return lambda: client.call_tool(tool, json.loads(ARGS))


async def listening(process: subprocess.Popen[bytes], port: int) -> None:
    while process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{process.args} ended")


async def measure(rounds: int, repeats: int) -> dict[str, dict[str, list[float]]]:
    from toolgen.runtime import load

    async with AsyncExitStack() as stack:
        cases: dict[str, Call] = {
            "toolgen serve": await client_of(stack, "toolgen", load(PACKAGE).wire_name(TOOL)),
            "SDK server": await client_of(stack, "sdk", "search_issues"),
            "FastMCP server": await client_of(stack, "fastmcp", "search_issues"),
        }
        alone: dict[str, list[float]] = {name: [] for name in cases}
        at_once: dict[str, list[float]] = {name: [] for name in cases}
        for call in cases.values():
            check(await call())
        for _ in range(rounds):
            for name, call in cases.items():
                start = perf_counter()
                for _ in range(repeats):
                    await call()
                alone[name].append((perf_counter() - start) / repeats * 1e6)
                start = perf_counter()
                for answer in await asyncio.gather(*(call() for _ in range(AT_ONCE))):
                    check(answer)
                at_once[name].append((perf_counter() - start) / AT_ONCE * 1e6)
        return {"alone": alone, "200 at once": at_once}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), int(sys.argv[2])))))
