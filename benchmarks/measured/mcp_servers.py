"""One tool with an empty body, served over stdio: `python -m benchmarks.measured.mcp_servers NAME`.

With a PORT after the name it is served over HTTP.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Literal

from pydantic import BaseModel

from benchmarks.measured.cases import RESULT, TOOL, plain_runtime


class Filters(BaseModel):
    author: str | None = None
    assignee: str | None = None
    created_after: str | None = None
    min_comments: int | None = None


class Item(BaseModel):
    id: int
    title: str


class Found(BaseModel):
    total: int
    items: list[Item]


async def search_issues(
    query: str,
    limit: int = 10,
    labels: list[str] | None = None,
    state: Literal["open", "closed", "all"] = "open",
    filters: Filters | None = None,
) -> Found:
    """Search issues."""
    return Found.model_validate(RESULT)


def sdk(port: int | None) -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench", log_level="ERROR")
    server.tool()(search_issues)
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", port=port)


def fastmcp(port: int | None) -> None:
    from fastmcp import FastMCP

    server: FastMCP[Any] = FastMCP("bench")
    server.tool(search_issues)
    if port is None:
        server.run("stdio", show_banner=False, log_level="ERROR")
    else:
        server.run("http", host="127.0.0.1", port=port, show_banner=False, log_level="ERROR")


def toolgen(port: int | None) -> None:
    from toolgen.serve import HttpSettings, mcp_server

    runtime = plain_runtime()
    server = mcp_server(runtime, runtime.start_run(requested=[TOOL]), http=HttpSettings(per_minute=10**9))
    asyncio.run(server.serve_stdio() if port is None else server.serve_http(port=port))


if __name__ == "__main__":
    {"sdk": sdk, "fastmcp": fastmcp, "toolgen": toolgen}[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else None)
