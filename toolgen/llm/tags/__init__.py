"""Tags: tools that a model calls with a line of its response, such as `RESEARCH: recent posts on tides`."""

from __future__ import annotations

from toolgen.llm.tags.definition import (
    TagCost,
    TagHandler,
    TagResult,
    ToolContext,
    ToolDef,
    prompt_block,
    tool_defs,
)
from toolgen.llm.tags.registry import TagGate, TagRegistry
from toolgen.llm.tags.reply import TagCall, TagReply, TagTurn, parse_response, run_tags

__all__ = [
    "TagCall",
    "TagCost",
    "TagGate",
    "TagHandler",
    "TagRegistry",
    "TagReply",
    "TagResult",
    "TagTurn",
    "ToolContext",
    "ToolDef",
    "parse_response",
    "prompt_block",
    "run_tags",
    "tool_defs",
]
