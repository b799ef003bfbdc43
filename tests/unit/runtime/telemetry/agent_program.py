"""An agent whose one tool is on an MCP server: run by a test as a process of its own."""

from __future__ import annotations

import asyncio
import sys

from toolgen.agents import Message, ScriptedPlanner, run_agent
from toolgen.cli.commands.calls.telemetry import command_telemetry
from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpExecutor, McpHost, mcp_executor
from toolgen.runtime import Runtime, allow_all, load


async def main() -> None:
    catalog = load("generated")
    registration = mcp_executor(catalog, "mcp.echo", McpHost())
    runtime = Runtime(catalog, executors=[registration], permission=allow_all, telemetry=command_telemetry())
    planner = ScriptedPlanner([ToolRequest(name="mcp.echo.team__echo__say", payload='{"text": "hello"}')])
    result = await run_agent(runtime, "clerk", [Message(role="user", content="say it")], planner)
    sys.stdout.write(result.messages[-1].content)
    assert isinstance(registration.executor, McpExecutor)
    await registration.executor.close()


asyncio.run(main())
