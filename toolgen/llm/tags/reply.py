"""Replies: the response of a model, split into calls and text for people, and tags as a presentation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolgen.contract.records import ToolRequest
from toolgen.llm.presentations.protocol import (
    ToolListing,
    Turn,
    answer_unknown,
    is_offered,
    not_offered,
    request,
    run_calls,
    text_of,
)
from toolgen.llm.tags.definition import TagLine, is_too_long, prompt_block, split_line
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.json_values import compact_json
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.presentations.protocol import PresentationOps
    from toolgen.llm.tags.definition import ToolContext, ToolDef
    from toolgen.llm.tags.registry import TagRegistry
    from toolgen.providers.protocol import ModelReply


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCall:
    """One call: the tool, the text after the tag, and its args by name."""

    tool: ToolDef
    raw_arg: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TagReply:
    """A parsed response: the text for people, and the calls, sorted by the names of their tools, then in order."""

    display: str
    calls: tuple[TagCall, ...]


class KnowsTags(Protocol):
    """Has the lines of tags, such as a `TagRegistry`."""

    @property
    def tags(self) -> Mapping[str, TagLine]:
        """The lines that call tools, by prefix."""
        ...


def parse_response(raw: str, registry: KnowsTags) -> TagReply:
    r"""Parse a response of a model, in linear time.

    A tag is a whole line: `^{prefix}:[ \t]+{pattern}$`, with the pattern starting after all spaces and tabs. Lines end
    in LF or CR LF. A line that matches no pattern, or is longer than `MAX_LINE`, is text.
    """
    tags = registry.tags
    calls: list[TagCall] = []
    kept: list[str] = []
    start = 0  # of the first line that is neither kept nor removed
    for found in _beginnings(tags).finditer(raw) if tags else ():
        begin, end = found.start(), raw.find("\n", found.end())
        end = len(raw) if end < 0 else end
        call = _call(raw[begin:end].removesuffix("\r"), tags[found[1]])
        if call is None:
            continue
        calls.append(call)
        if call.tool.strip_from_display:
            if begin > start:
                kept.append(raw[start : begin - 1])
            start = end + 1
    if start <= len(raw):
        kept.append(raw[start:])
    calls.sort(key=lambda call: call.tool.name)  # stable: calls of one tool stay in order
    return TagReply(display="\n".join(kept), calls=tuple(calls))


def _beginnings(tags: Mapping[str, TagLine]) -> re.Pattern[str]:
    """Return a pattern for the beginnings of lines that may be calls: other lines cost only this search."""
    return re.compile(f"^({'|'.join(map(re.escape, tags))}):(?=[ \t])", re.MULTILINE)


def _call(line: str, tag: TagLine) -> TagCall | None:
    """Parse a line as a call; None if it is text."""
    found = split_line(line)
    if found is None or is_too_long(line):
        return None
    args = tag.read(found[1])
    return None if args is None else TagCall(tool=tag.tool, raw_arg=found[1], args=args)


# Turns: the calls in one response of a model, run one at a time, with their messages and audit.


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


# Tags as a presentation: tools are described in the prompt, and lines of a response call them.

_NO_TOOLS: Final = "nothing was called: write a tag, on a line of its own"


class Tags:
    """Shows the tag tools among the candidates, only in the prompt."""

    def __init__(self, lines: Mapping[str, TagLine]) -> None:
        """Take the lines of the tools by ident. Raises `CatalogError` for ambiguous tags."""
        self._idents = {line.tool.name: ident for ident, line in lines.items()}
        self.tags: dict[str, TagLine] = {}
        for line in lines.values():
            tool, first = line.tool, self.tags.setdefault(line.tool.tag_prefix, line).tool
            if first is not tool:
                raise CatalogError(f"the tag {tool.tag_prefix} would call both {first.name} and {tool.name}")
        prompt = prompt_block(line.tool for line in lines.values())
        self._listing = ToolListing(tools=(), dispatchable=frozenset(lines), prompt=prompt)

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
