"""`hostile`: Ends \"\"\" early, \\ and #, {{ x }} {% raw %} {x} \u202e \u200b | <script> `code`\"\"\""""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.shared import Quoted as Quoted
    from .types.tool import ToolArgs as ToolArgs, ToolResult as ToolResult
    from . import codecs as codecs
    from .calls import new_tool_call as new_tool_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import TOOL as TOOL
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "Quoted": ".types.shared",
            "TOOL": ".idents",
            "ToolArgs": ".types.tool",
            "ToolResult": ".types.tool",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_tool_call": ".calls",
        },
    )
