"""Tags as a presentation: tools are told of in the prompt, and lines of an answer call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.messages import Feedback, ModelCall
from toolgen.contract.visible import visible
from toolgen.runtime.presentations.calls import compact_json, request, run_calls, text_of
from toolgen.runtime.presentations.protocol import Calls, PlainText, Surface
from toolgen.runtime.presentations.tags.line import TagLine
from toolgen.runtime.presentations.tags.prompt import prompt_block
from toolgen.runtime.presentations.tags.reply import parse_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.contract.messages import ModelReply
    from toolgen.runtime.presentations.protocol import Ops, Outcome, Snippet
    from toolgen.runtime.presentations.tags.definition import ToolDef


class Tags:
    """Shows the tag tools among the candidates. Nothing is in the request's own list of tools."""

    def __init__(self, tools: Mapping[str, ToolDef]) -> None:
        """Take the tools by ident. Raises `CatalogError` for one that no line could call."""
        self._idents = {tool.name: ident for ident, tool in tools.items()}
        self._surface = Surface(tools=(), dispatchable=frozenset(tools), prompt=prompt_block(tools.values()))
        self.tags = {tool.tag_prefix: TagLine.of(tool) for tool in tools.values()}

    def build_presentation(self) -> Surface:
        """Give the one surface there is."""
        return self._surface

    def interpret(self, reply: ModelReply) -> PlainText | Calls:
        """Read the lines that call tools; without any, the answer is the last word."""
        found = parse_response(reply.text, self)
        if not found.calls:
            return PlainText(text=found.display)
        calls = [
            (call.tool, ModelCall(tool_call_id="", name=call.tool.tag_prefix, arguments=compact_json(dict(call.args))))
            for call in found.calls
        ]
        return Calls(calls=tuple(request(self._idents[tool.name], asked) for tool, asked in calls), text=found.display)

    async def execute(self, action: Calls | Snippet, ops: Ops) -> Outcome:
        """Make the calls, in one turn."""
        assert isinstance(action, Calls)  # it reads nothing else
        return await run_calls(action, ops)

    async def format_feedback(self, outcome: Outcome) -> Feedback:
        """Say what each line came to, in one message."""
        said = [
            f"{call.asked.name}: {visible(text_of(result))}"
            for call, result in zip(outcome.asked, outcome.results, strict=True)
        ]
        return Feedback(message="\n".join(said))
