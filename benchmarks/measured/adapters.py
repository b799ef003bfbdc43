"""Microseconds of one call through each framework: `own` is a plain function, `adapter` a tool of a run.

A framework's case returns both, and `bare` is the call in the runtime without a framework. They are timed in turn.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final

from benchmarks.measured.cases import ARGS, RESULT, TOOL, plain_runtime
from toolgen.runtime import Runtime, ToolRequest

Call = Callable[[], Awaitable[object]]

NAME: Final = "bench__issues__search_issues"


async def search_issues(
    query: str,
    limit: int = 10,
    labels: list[str] | None = None,
    state: str = "open",
    filters: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Search issues."""
    return RESULT


class Host:
    def __init__(self) -> None:
        self.runtime: Runtime = plain_runtime()
        self.run = self.runtime.start_run(requested=[TOOL])

    async def bare(self) -> object:
        return await self.runtime.invoke(ToolRequest(name=NAME, payload=ARGS), run=self.run)


async def pydantic_ai(host: Host, _stack: AsyncExitStack) -> tuple[Call, Call]:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.toolsets import FunctionToolset

    from toolgen.adapters.pydantic_ai import toolset

    def agent_of(tools: Any, name: str) -> Call:
        def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
            asks = len(messages) == 1
            return ModelResponse(parts=[ToolCallPart(name, ARGS.decode()) if asks else TextPart("done")])

        agent = Agent(FunctionModel(answer), toolsets=[tools])
        return lambda: agent.run("Search.")

    own: FunctionToolset[Any] = FunctionToolset([search_issues])
    return agent_of(own, "search_issues"), agent_of(toolset(host.runtime, host.run), NAME)


async def openai_agents(host: Host, _stack: AsyncExitStack) -> tuple[Call, Call]:
    from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from toolgen.adapters.openai_agents import tools

    set_tracing_disabled(disabled=True)
    content: Any = [ResponseOutputText(type="output_text", text="done", annotations=[])]
    done = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=content)

    def agent_of(tool: Any) -> Call:
        class Script(Model):
            async def get_response(self, *args: Any, **named: Any) -> ModelResponse:
                asks = len(named.get("input") or args[1]) == 1
                call = ResponseFunctionToolCall(
                    type="function_call", name=tool.name, call_id="c1", arguments=ARGS.decode()
                )
                return ModelResponse(output=[call if asks else done], usage=Usage(), response_id=None)

            def stream_response(self, *args: Any, **named: Any) -> Any:
                raise NotImplementedError

        agent = Agent(name="clerk", model=Script(), tools=[tool])
        return lambda: Runner.run(agent, "Search.")

    (of_run,) = tools(host.runtime, host.run)
    return agent_of(function_tool(search_issues, strict_mode=False)), agent_of(of_run)


async def langchain(host: Host, _stack: AsyncExitStack) -> tuple[Call, Call]:
    from langchain_core.tools import BaseTool, StructuredTool

    from toolgen.adapters.langchain import tools

    def calling(tool: BaseTool) -> Call:
        ids = iter(range(sys.maxsize))
        args = json.loads(ARGS)
        return lambda: tool.ainvoke({"name": tool.name, "args": args, "id": str(next(ids)), "type": "tool_call"})

    (of_run,) = tools(host.runtime, host.run)
    return calling(StructuredTool.from_function(coroutine=search_issues)), calling(of_run)


async def fastmcp(host: Host, stack: AsyncExitStack) -> tuple[Call, Call]:
    from fastmcp import Client, FastMCP

    from toolgen.adapters.fastmcp import add_tools

    server: FastMCP[Any] = FastMCP("bench")
    server.tool(search_issues)
    add_tools(server, host.runtime, host.run)
    client = await stack.enter_async_context(Client(server))
    args = json.loads(ARGS)
    return (lambda: client.call_tool("search_issues", args)), (lambda: client.call_tool(NAME, args))


FRAMEWORKS: Final = {
    "pydantic-ai": pydantic_ai,
    "OpenAI Agents": openai_agents,
    "LangChain": langchain,
    "FastMCP": fastmcp,
}


async def main(rounds: int, repeats: int) -> None:
    host = Host()
    report: dict[str, dict[str, list[float]]] = {}
    for name, framework in FRAMEWORKS.items():
        async with AsyncExitStack() as stack:
            own, adapter = await framework(host, stack)
            calls = {"bare": host.bare, "own": own, "adapter": adapter}
            for call in calls.values():
                await call()
            report[name] = {what: [] for what in calls}
            gc.disable()
            for _ in range(rounds):
                for what, call in calls.items():
                    start = time.perf_counter()
                    for _ in range(repeats):
                        await call()
                    report[name][what].append((time.perf_counter() - start) / repeats * 1e6)
                gc.collect()
            gc.enable()
    print(json.dumps(report))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
