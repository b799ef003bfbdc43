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
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from mcp import Client

from benchmarks.measured.cases import ARGS, PACKAGE, TOOL
from benchmarks.measured.mcp_calls import alone, check, command, times_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Call = Callable[[], Awaitable[object]]


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
        return await times_of(cases, rounds, {"alone": partial(alone, repeats=repeats), "200 at once": at_once})


async def at_once(call: Call) -> float:
    """Return the seconds of a call, of 200 at once."""
    start = perf_counter()
    answers = await asyncio.gather(*(call() for _ in range(200)))
    seconds = (perf_counter() - start) / len(answers)
    for answer in answers:
        check(answer)
    return seconds


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), int(sys.argv[2])))))
