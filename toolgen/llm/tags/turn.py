"""Turns: the calls in one answer of a model, run one after the other, and what is to be said and kept of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolgen.llm.tags.reply import parse_response

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.tags.definition import ToolContext
    from toolgen.llm.tags.registry import TagRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class TagTurn:
    """What came of one answer: the text that people see of it, and the results of its calls, in their order."""

    display: str
    results: tuple[ToolResult[Any], ...]

    @property
    def audit(self) -> list[dict[str, Any]]:
        """What is to be kept: one entry for each call."""
        return [dict(result.audit) for result in self.results]

    @property
    def messages(self) -> list[str]:
        """What is to be said: the messages of the calls that have one."""
        return [result.message for result in self.results if result.message]


async def run_tags(registry: TagRegistry, raw: str, ctx: ToolContext) -> TagTurn:
    """Run all calls in an answer, each with `ctx` and its own arg. None knows of the others, and none stops them."""
    reply = parse_response(raw, registry)
    results = [await registry.invoke(call.tool.name, replace(ctx, raw_arg=call.raw_arg)) for call in reply.calls]
    return TagTurn(display=reply.display, results=tuple(results))
