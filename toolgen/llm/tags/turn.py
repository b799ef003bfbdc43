"""Turns: the calls in one response of a model, run one at a time, with their messages and audit."""

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
    """The outcome of one response: its text for people, and the results of its calls, in order."""

    display: str
    results: tuple[ToolResult[Any], ...]

    @property
    def audit(self) -> list[dict[str, Any]]:
        """The audit records, one for each call."""
        return [dict(result.audit) for result in self.results]

    @property
    def messages(self) -> list[str]:
        """The messages of the calls that have one."""
        return [result.message for result in self.results if result.message]


async def run_tags(registry: TagRegistry, raw: str, ctx: ToolContext) -> TagTurn:
    """Run all calls in a response, each with `ctx` and its arg, independent of each other."""
    reply = parse_response(raw, registry)
    results = [await registry.invoke(call.tool.name, replace(ctx, raw_arg=call.raw_arg)) for call in reply.calls]
    return TagTurn(display=reply.display, results=tuple(results))
