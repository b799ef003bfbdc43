"""Presentation of tools to models, and conversion of their responses to calls; the names that most programs need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.llm.actions.hot_list import HotList as HotList
    from toolgen.llm.actions.prompt import system_prompt as system_prompt
    from toolgen.llm.actions.resources import Resource as Resource
    from toolgen.llm.codeact.limits import CodeActLimits as CodeActLimits
    from toolgen.llm.codeact.presentation import CodeAct as CodeAct
    from toolgen.llm.presentations.protocol import Turn as Turn
    from toolgen.llm.tags.registry import TagRegistry as TagRegistry
    from toolgen.llm.tool_use.conversation import Conversation as Conversation
    from toolgen.llm.tool_use.loop import CallRequested as CallRequested
    from toolgen.llm.tool_use.loop import ConversationResult as ConversationResult
    from toolgen.llm.tool_use.loop import TextDelta as TextDelta
    from toolgen.llm.tool_use.loop import TurnEnded as TurnEnded
    from toolgen.llm.tool_use.tool_use import ToolUse as ToolUse
    from toolgen.spec.tool_use import ToolUseConfig as ToolUseConfig
    from toolgen.spec.tool_use import ToolUseError as ToolUseError
    from toolgen.spec.tool_use import read_tool_use as read_tool_use
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CallRequested": ".tool_use.loop",
            "CodeAct": ".codeact.presentation",
            "CodeActLimits": ".codeact.limits",
            "Conversation": ".tool_use.conversation",
            "ConversationResult": ".tool_use.loop",
            "HotList": ".actions.hot_list",
            "Resource": ".actions.resources",
            "TagRegistry": ".tags.registry",
            "TextDelta": ".tool_use.loop",
            "ToolUse": ".tool_use.tool_use",
            "ToolUseConfig": "toolgen.spec.tool_use",
            "ToolUseError": "toolgen.spec.tool_use",
            "Turn": ".presentations.protocol",
            "TurnEnded": ".tool_use.loop",
            "read_tool_use": "toolgen.spec.tool_use",
            "system_prompt": ".actions.prompt",
        },
    )
