"""Tool use: how the tools of a run are shown to a model, and how its answers become calls.

`ToolUse` knows the catalog and the configuration; a `Conversation` is one model that talks.
"""

from __future__ import annotations

from toolgen.contract.tool_use import ToolUseConfig, ToolUseError, read_tool_use
from toolgen.runtime.actions.hot_list import HotList
from toolgen.runtime.actions.prompt import system_prompt
from toolgen.runtime.actions.resources import Resource
from toolgen.runtime.tool_use.conversation import Conversation, Turn
from toolgen.runtime.tool_use.tool_use import ToolUse

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
