"""A bot: four tag tools, handlers that return their args, and a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolResult
from toolgen.llm.tags import TagRegistry, ToolContext, ToolDef

if TYPE_CHECKING:
    from toolgen.llm.tags import TagHandler

ANN = ToolContext(user_message="What of tides?", user="@ann", chat_id=7)
FACTS = r"(factual|communication|structured_data)\s+(.+)"


async def echo(ctx: ToolContext) -> ToolResult[Any]:
    """Return the args as text."""
    return ToolResult(message=" + ".join(ctx.args.values()))


def tool(name: str, handler: TagHandler | None = echo, **fields: Any) -> ToolDef:
    """Return a tool whose tag is its name in capitals."""
    given = {"description": f"What {name} does.", "tag_prefix": name.upper(), "handler": handler, **fields}
    return ToolDef(name=name, **given)


def learning(**fields: Any) -> ToolDef:
    """Return the tool with two args."""
    return tool("learning", arg_pattern=FACTS, arg_groups=["category", "content"], **fields)


def registry(*tools: ToolDef, **settings: Any) -> TagRegistry:
    """Return a registry of tools."""
    made = TagRegistry(**settings)
    for each in tools:
        made.register(each)
    return made
