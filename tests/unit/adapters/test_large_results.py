"""A result above the limit, at every door: what leaves is the text that models are shown, and where the rest is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import agents
import pydantic_ai
import pytest
from fastmcp import Client as FastMCPClient
from fastmcp import FastMCP
from langchain_core.messages import ToolCall
from mcp import Client
from pydantic_ai.messages import ToolReturnPart

from tests.unit.adapters.shop import Host, call
from toolgen.adapters.fastmcp import add_tools
from toolgen.adapters.langchain import tools, typed_result
from toolgen.adapters.openai_agents import tools as agents_tools
from toolgen.adapters.pydantic_ai import toolset
from toolgen.record.artifacts import Artifacts
from toolgen.runtime import Catalog, allow_all
from toolgen.serve import mcp_server
from toolgen.testing import ScriptedModel

agents.set_tracing_disabled(disabled=True)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    LoadStore = Callable[[], Catalog]

CHARACTERS = 1_000_000
LIMIT = 2**16
ROOM = 1_000
"""Characters that an answer may have beyond the limit: its notes and its form."""


@pytest.fixture
def host(load_store: LoadStore, tmp_path: Path) -> Host:
    return Host(load_store(), allow_all, artifacts=Artifacts(tmp_path))


def check_text(text: str) -> None:
    assert LIMIT <= len(text) < LIMIT + ROOM
    assert "[cut: these are the first 65536 of 1000011 bytes]\nsha256:" in text
    assert text.count("x") < LIMIT


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("door", ["fastmcp", "serve"])
def test_clients_of_mcp_get_an_error_that_tells_of_the_success(host: Host, door: str, mode: Any) -> None:
    """A client refuses an answer without structured content, if the tool has an output schema and it is no error."""

    async def answers() -> list[Any]:
        asked = [{"characters": CHARACTERS}, {"characters": 3}]
        if door == "serve":
            async with Client(mcp_server(host.runtime, host.run).protocol, mode=mode) as client:
                await client.list_tools()
                return [await client.call_tool("store__manual", each) for each in asked]
        server: FastMCP[Any] = FastMCP("mine")
        add_tools(server, host.runtime, host.run)
        async with FastMCPClient(server, mode=mode) as client:
            await client.list_tools()
            return [await client.call_tool_mcp("store__manual", each) for each in asked]

    large, small = asyncio.run(answers())
    assert large.is_error
    assert large.structured_content is None
    text = "\n".join(block.text for block in large.content)
    check_text(text)
    assert text.startswith("the call succeeded and must not be repeated")
    assert (small.is_error, small.structured_content) == (False, {"text": "xxx"})


def test_the_message_of_langchain_has_the_text_alone(host: Host) -> None:
    (manual,) = [tool for tool in tools(host.runtime, host.run) if tool.name == "store__manual"]
    asked = ToolCall(name=manual.name, args={"characters": CHARACTERS}, id="c1", type="tool_call")
    message = asyncio.run(manual.ainvoke(asked))
    check_text(message.content)
    assert (message.status, message.artifact) == ("success", None)
    assert typed_result(host.runtime, message.artifact) is None


def test_the_part_of_pydantic_ai_has_the_text_alone(host: Host) -> None:
    script = ScriptedModel(call("store__manual", "c1", characters=CHARACTERS), "done")
    agent = pydantic_ai.Agent(script.for_pydantic_ai(), toolsets=[toolset(host.runtime, host.run)])
    history = asyncio.run(agent.run("Read it.")).all_messages()
    (part,) = [part for message in history for part in message.parts if isinstance(part, ToolReturnPart)]
    check_text(str(part.content))
    assert (part.outcome, part.metadata) == ("success", None)


def test_the_output_of_openai_agents_is_the_text(host: Host) -> None:
    script = ScriptedModel(call("store__manual", "c1", characters=CHARACTERS), "done")
    agent = agents.Agent(name="clerk", model=script.for_openai_agents(), tools=[*agents_tools(host.runtime, host.run)])
    items: list[Any] = asyncio.run(agents.Runner.run(agent, "Read it.")).new_items
    (output,) = [item.output for item in items if item.type == "tool_call_output_item"]
    check_text(output)
