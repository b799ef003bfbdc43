"""One call over HTTP, alone and with 200 at once, of a server with one tool: toolgen's, the SDK's and FastMCP's.

`python -m benchmarks.measured.mcp_http ROUNDS REPEATS` prints microseconds of a call by case, one figure a round, and
those of processor time of the server, which count where the machine has other load; they need Linux. The client is
the SDK's in all cases, so that only the servers differ.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from mcp import Client

from benchmarks.measured.cases import ARGS, TOOL
from benchmarks.measured.mcp_calls import alone, check, command, times_of
from benchmarks.projects import PACKAGE

if TYPE_CHECKING:
    Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Served:
    """A call of a tool that a process serves."""

    process: int
    call: Call

    def __call__(self) -> Awaitable[object]:
        return self.call()

    def seconds(self) -> float:
        """Return the processor time that all threads of the server have used."""
        threads = Path(f"/proc/{self.process}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


async def served(stack: AsyncExitStack, server: str, tool: str) -> Served:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*command(server), str(port)], stderr=subprocess.DEVNULL)  # noqa: ASYNC220  # once
    stack.callback(process.wait)
    stack.callback(process.terminate)
    await listening(process, port)
    client = await stack.enter_async_context(Client(f"http://127.0.0.1:{port}/mcp"))
    await client.list_tools()
    return Served(process.pid, lambda: client.call_tool(tool, json.loads(ARGS)))


async def listening(process: subprocess.Popen[bytes], port: int) -> None:
    while process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{process.args!r} ended")


async def measure(rounds: int, repeats: int) -> dict[str, dict[str, list[float]]]:
    from toolgen.runtime import load

    async with AsyncExitStack() as stack:
        cases = {
            "toolgen serve": await served(stack, "toolgen", load(PACKAGE).wire_name(TOOL)),
            "SDK server": await served(stack, "sdk", "search_issues"),
            "FastMCP server": await served(stack, "fastmcp", "search_issues"),
        }
        one_by_one = partial(alone, repeats=repeats)
        ways: dict[str, Callable[[Served], Awaitable[float]]] = {"alone": one_by_one, "200 at once": at_once}
        used: dict[str, Callable[[Served], Awaitable[float]]] = {
            "processor time, alone": partial(processor_time, timed=one_by_one, calls=repeats),
            "processor time, 200 at once": partial(processor_time, timed=at_once, calls=200),
        }
        return {**await times_of(cases, rounds, ways), **await times_of(cases, rounds, used)}


async def processor_time(call: Served, timed: Callable[[Call], Awaitable[float]], calls: int) -> float:
    """Return the seconds of processor time that a server used for a call, of as many as `timed` makes."""
    start = call.seconds()
    await timed(call)
    return (call.seconds() - start) / calls


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
