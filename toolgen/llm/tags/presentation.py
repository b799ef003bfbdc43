"""Tags as a presentation: tools are described in the prompt, and lines of a response call them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import ToolRequest
from toolgen.llm.presentations.calls import (
    answer_unknown,
    is_offered,
    not_offered,
    request,
    run_calls,
    text_of,
)
from toolgen.llm.presentations.protocol import ToolListing, Turn
from toolgen.llm.tags.line import TagLine, prompt_block
from toolgen.llm.tags.reply import parse_response
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.json_values import compact_json
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.llm.presentations.protocol import PresentationOps
    from toolgen.llm.tags.definition import ToolDef
    from toolgen.providers.protocol import ModelReply


_NO_TOOLS: Final = "nothing was called: write a tag, on a line of its own"


class Tags:
    """Shows the tag tools among the candidates, only in the prompt."""

    def __init__(self, tools: Mapping[str, ToolDef]) -> None:
        """Take the tools by ident. Raises `CatalogError` for one that no line can call, and for ambiguous tags."""
        self._idents = {tool.name: ident for ident, tool in tools.items()}
        self.tags: dict[str, TagLine] = {}
        for tool in tools.values():
            first = self.tags.setdefault(tool.tag_prefix, TagLine.of(tool)).tool
            if first is not tool:
                raise CatalogError(f"the tag {tool.tag_prefix} would call both {first.name} and {tool.name}")
        self._listing = ToolListing(tools=(), dispatchable=frozenset(tools), prompt=prompt_block(tools.values()))

    def build_presentation(self) -> ToolListing:
        """Return the tool listing, which never changes."""
        return self._listing

    def interpret(self, reply: ModelReply) -> Turn:
        """Parse the lines that call tools; without any, the response is final.

        Tools cannot be called in any other way; such calls are rejected.
        """
        found = parse_response(reply.text, self)
        if not found.calls and not reply.calls:
            return Turn(text=found.display)
        calls = [
            (call.tool, ToolRequest(name=call.tool.tag_prefix, payload=compact_json(dict(call.args))))
            for call in found.calls
        ]
        tagged = [request(self._idents[tool.name], asked) for tool, asked in calls]
        return Turn(calls=(*tagged, *map(not_offered, reply.calls)), text=found.display)

    async def execute(self, turn: Turn, ops: PresentationOps) -> Turn:
        """Make the calls, in one turn."""
        return await run_calls(turn, ops)

    async def format_feedback(self, turn: Turn) -> Turn:
        """Report the result of each line in one message, and answer rejected calls."""
        lines = [f"{call.asked.name}: {visible(text_of(result))}" for call, result in turn.made if is_offered(call)]
        answers = [answer_unknown(call, ()) for call in turn.calls if not is_offered(call)]
        refused = tuple(replace(each, text=_NO_TOOLS) for each in answers)
        return replace(turn, answers=refused, report="\n".join(lines))
