"""One tool of each framework, made as its documentation shows; `days` of 13 is what each of them refuses."""

import datetime as dt
from typing import Any

from agents import FunctionTool, function_tool
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool as FastMcpTool
from fastmcp.tools import ToolResult
from langchain_core.tools import BaseTool, ToolException, tool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field
from pydantic_ai import Agent, FunctionToolset, ModelRetry, RunContext, Tool
from smolagents import Tool as SmolagentsTool  # type: ignore[import-untyped]  # no annotations


def shift(day: dt.date, days: int = 3) -> dict[str, dt.date]:
    """Add days to a day.

    Args:
        day: The day.
        days: How many.
    """
    if days == 13:
        raise ModelRetry("not 13")
    return {"day": day + dt.timedelta(days=days)}


def in_context(ctx: RunContext[int], days: int) -> int:
    """Add what the agent has."""
    return ctx.deps + days


pydantic_ai_tool = Tool(shift, name="shift_day")
needs_context = Tool(in_context)


@tool(parse_docstring=True)
def langchain_tool(day: dt.date, days: int = 3) -> dict[str, dt.date]:
    """Add days to a day.

    Args:
        day: The day.
        days: How many.
    """
    if days == 13:
        raise ToolException("not 13")
    return {"day": day + dt.timedelta(days=days)}


class Days(BaseModel):
    """What `Subclass` takes."""

    days: int = Field(description="How many.")


class Subclass(BaseTool):
    """A tool as a class, of which an instance is made."""

    name: str = "subclass"
    description: str = "Count days."
    args_schema: Any = Days
    tags: list[str] | None = ["calendar", "network"]

    def _run(self, days: int) -> list[int]:
        return list(range(days))


@function_tool
async def openai_tool(day: str, days: int) -> str:
    """Add days to a day.

    Args:
        day: The day.
        days: How many.
    """
    return f"{day} + {days}"


async def _invoke(_context: Any, args: str) -> Any:
    return {"args": args}


raw_openai_tool = FunctionTool("raw", "Return the args.", {"type": "object", "properties": {}}, _invoke)


odd_openai_tool = FunctionTool("odd", "Odd.", {"type": "object", "properties": {"a": {"default": {1}}}}, _invoke)


def add(day: dt.date, days: int = 3) -> list[dt.date]:
    """Add days to a day."""
    if days == 13:
        raise ToolError("not 13")
    return [day + dt.timedelta(days=days)]


def explain(days: int) -> ToolResult:
    """Explain days."""
    return ToolResult(content=f"{days} days", is_error=days == 13)


fastmcp_tool = FastMcpTool.from_function(
    add, name="add-days", tags={"Calendar Days"}, annotations=ToolAnnotations(title="Add days", read_only_hint=True)
)
fastmcp_text = FastMcpTool.from_function(explain, annotations=ToolAnnotations(destructive_hint=True))


class Weather(SmolagentsTool):  # type: ignore[misc]  # smolagents has no types
    """A tool of smolagents."""

    name = "weather"
    description = "Forecast."
    inputs = {
        "city": {"type": "string", "description": "The city."},
        "extra": {"type": "any", "description": "More."},
        "days": {"type": "integer", "description": "How many.", "nullable": True},
    }
    output_type = "array"

    def forward(self, city: str, extra: Any, days: int | None = None) -> list[Any]:
        return [city, extra, days]


class Picture(SmolagentsTool):  # type: ignore[misc]  # smolagents has no types
    """A tool that takes what JSON does not have."""

    name = "picture"
    description = "Describe a picture."
    inputs = {"image": {"type": "image", "description": "The picture."}}
    output_type = "string"

    def forward(self, image: Any) -> str:
        return str(image)


weather = Weather()


def double(number: int) -> int:
    """Double a number."""
    return number * 2


listed = [double, fastmcp_tool, langchain_tool]
pair = (double, pydantic_ai_tool)
empty: list[Any] = []
unnamed = [double, 3]
twice = [double, double]

toolset = FunctionToolset[None]([shift])
agent = Agent[None]("test", deps_type=type(None), toolsets=[toolset])


@agent.tool_plain
def triple(number: int) -> int:
    """Triple a number."""
    return number * 3


@agent.tool
def with_context(ctx: RunContext[None], number: int) -> str:
    """Need the agent."""
    return f"{ctx.run_step} {number}"


server = FastMCP("days")
server.add_tool(fastmcp_tool)


@server.tool
async def client_of(ctx: Context, word: str) -> str:
    """Return the server's name, which the context knows."""
    return f"{ctx.fastmcp.name} {word}"


filtered = toolset.filtered(lambda _ctx, _definition: True)
