"""Reminder: a text of the tool that the model is shown with every result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ContentBlock

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool


def bind(tool: Tool, _host: Host) -> After | None:
    """Return the stage; None for a tool without a reminder."""
    text = tool.definition.settings.reminder
    if not text:
        return None
    block = ContentBlock(type="text", data=text)

    def remind(_call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        return replace(result, blocks=(*result.content, block))

    return remind
