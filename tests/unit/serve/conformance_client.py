"""A client for the conformance suite: connects, lists, and calls each tool of the server by `toolgen.execute.mcp`."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, Final

from mcp import Client
from mcp_types import ElicitResult

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute.mcp import McpExecutor, McpHost, McpServer
from toolgen.runtime import ToolDefinition

ARGS: Final = {"add_numbers": {"a": 5, "b": 3}}


async def accept(context: Any, params: Any) -> ElicitResult:
    """Accept a form with its defaults."""
    fields = params.requested_schema["properties"]
    return ElicitResult(action="accept", content={name: field["default"] for name, field in fields.items()})


async def use(url: str) -> None:
    async with Client(url, mode="auto") as client:
        tools = (await client.list_tools()).tools
    definitions = {
        f"mcp.conformance.{tool.name}": ToolDefinition(
            name=f"mcp.conformance.{tool.name}",
            description=tool.description or tool.name,
            input_schema=tool.input_schema,
            metadata={"source_name": tool.name},
        )
        for tool in tools
    }
    async with McpExecutor(definitions, McpServer(http=url), McpHost(on_elicitation=accept)) as executor:
        for ident, definition in definitions.items():
            payload = json.dumps(ARGS.get(definition.metadata["source_name"], {}))
            result = await executor.execute(ToolRequest(name=ident, payload=payload), ToolCallMeta())
            assert result.success, result.error


if __name__ == "__main__":
    asyncio.run(use(sys.argv[1]))
