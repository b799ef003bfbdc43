"""Tool use: how the tools of a run are shown to a model, and how its answers become calls.

`ToolUse` knows the catalog and the configuration; a `Conversation` is one model that talks.
"""

from __future__ import annotations

from toolgen.llm.actions.hot_list import HotList
from toolgen.llm.actions.prompt import system_prompt
from toolgen.llm.actions.resources import Resource
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.tool_use.conversation import Conversation
from toolgen.llm.tool_use.tool_use import ToolUse
from toolgen.spec.tool_use import ToolUseConfig, ToolUseError, read_tool_use

__all__ = [
    "Conversation",
    "HotList",
    "Resource",
    "ToolUse",
    "ToolUseConfig",
    "ToolUseError",
    "Turn",
    "read_tool_use",
    "system_prompt",
]
