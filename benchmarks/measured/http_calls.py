"""One call of an HTTP API: by the client that the executor uses, by the executor, and through the whole pipeline.

`python -m benchmarks.measured.http_calls ROUNDS REPEATS` prints microseconds of a call by case, one figure a round.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import httpx2

from benchmarks.measured.mcp_calls import alone, times_of
from toolgen.execute import HttpHost, http_executor
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest, allow_all, load

if TYPE_CHECKING:
    from benchmarks.measured.mcp_calls import Call

SPEC: Final = """\
toolgen: 1
toolset: bench.shop
kind: http
api: {base_url: "http://127.0.0.1:1"}
tools:
  find:
    description: Find orders.
    permission: readonly
    http: {method: GET, path: "/orders/{customer}", params: {customer: path, state: query, limit: query}}
    args: {customer: string, state: string, limit: integer}
    result: {total: integer, orders: [{id: string, paid: boolean}]}
"""
FLOOR: Final = "httpx2"
_TOOL: Final = "bench.shop.find"
_ARGS: Final = b'{"customer": "c-1", "state": "open", "limit": 10}'
_ANSWER: Final = json.dumps(
    {"total": 2, "orders": [{"id": "o-1", "paid": True}, {"id": "o-2", "paid": False}]}
).encode()
_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_ANSWER)


async def serve() -> None:
    """Answer every request alike, in a process of its own, so that the time of a call is that of its client."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(_HEAD + _ANSWER)
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def measure(base_url: str, rounds: int, repeats: int) -> dict[str, list[float]]:
    catalog = load("generated")
    registration = http_executor(catalog, "bench.shop", HttpHost(base_url=base_url))
    executor: Any = registration.executor
    runtime = Runtime(catalog, executors=[registration], permission=allow_all)
    request, meta = ToolRequest(name=_TOOL, payload=_ARGS), ToolCallMeta()
    url, query = f"{base_url}/orders/c-1", {"state": "open", "limit": "10"}

    async with httpx2.AsyncClient() as client:

        async def bare() -> object:
            answer = await client.get(url, params=query)
            answer.json()
            return answer

        cases: dict[str, Call] = {
            FLOOR: bare,
            "toolgen executor": lambda: executor.execute(request, meta),
            "toolgen invoke": lambda: runtime.invoke(request),
        }
        return (await times_of(cases, rounds, {"alone": partial(alone, repeats=repeats)}))["alone"]


def main(rounds: int, repeats: int) -> None:
    with subprocess.Popen([sys.executable, "-m", __spec__.name, "serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            port = int(server.stdout.readline())
            print(json.dumps(asyncio.run(measure(f"http://127.0.0.1:{port}", rounds, repeats))))
        finally:
            server.terminate()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        main(int(sys.argv[1]), int(sys.argv[2]))
