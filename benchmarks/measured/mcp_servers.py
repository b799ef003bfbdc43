"""One tool with an empty body, served over stdio: `python -m benchmarks.measured.mcp_servers NAME`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Literal

from pydantic import BaseModel

from benchmarks.measured.cases import PACKAGE, RESULT, TOOL, issues_executor


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


def search_issues(
    query: str,
    limit: int = 10,
    labels: list[str] | None = None,
    state: Literal["open", "closed", "all"] = "open",
    filters: Filters | None = None,
) -> Found:
    """Search issues."""
    return Found.model_validate(RESULT)


def sdk() -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench", log_level="ERROR")
    server.tool()(search_issues)
    server.run("stdio")


def fastmcp() -> None:
    from fastmcp import FastMCP

    server: FastMCP[Any] = FastMCP("bench")
    server.tool(search_issues)
    server.run("stdio", show_banner=False, log_level="ERROR")


def toolgen() -> None:
    from toolgen.runtime import Runtime, allow_all, load
    from toolgen.serve import mcp_server

    catalog = load(PACKAGE)
    runtime = Runtime(
        catalog,
        executors=[issues_executor()],
        missing=catalog.toolsets,
        permission=allow_all,
        disabled_policies=["bench"],
    )
    asyncio.run(mcp_server(runtime, runtime.start_run(requested=[TOOL])).serve_stdio())


if __name__ == "__main__":
    {"sdk": sdk, "fastmcp": fastmcp, "toolgen": toolgen}[sys.argv[1]]()
