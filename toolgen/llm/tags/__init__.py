"""Tags: tools that a model calls with a line of its response, such as `RESEARCH: recent posts on tides`."""

from __future__ import annotations

from toolgen.llm.tags.definition import (
    Cost,
    TagHandler,
    TagResult,
    ToolContext,
    ToolDef,
    tool_defs,
)
from toolgen.llm.tags.line import prompt_block
from toolgen.llm.tags.registry import TagGate, TagRegistry
from toolgen.llm.tags.reply import Reply, TagCall, TagTurn, parse_response, run_tags

__all__ = [
    "Cost",
    "Reply",
    "TagCall",
    "TagGate",
    "TagHandler",
    "TagRegistry",
    "TagResult",
    "TagTurn",
    "ToolContext",
    "ToolDef",
    "parse_response",
    "prompt_block",
    "run_tags",
    "tool_defs",
]
