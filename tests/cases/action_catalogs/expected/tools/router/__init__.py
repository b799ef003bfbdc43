"""`router`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.call_tool import CallToolArgs as CallToolArgs, CallToolResult as CallToolResult
    from .types.invoke_skill import InvokeSkillArgs as InvokeSkillArgs, InvokeSkillResult as InvokeSkillResult
    from .types.read import ReadArgs as ReadArgs, ReadResult as ReadResult
    from .types.recall import RecallArgs as RecallArgs, RecallResult as RecallResult
    from .types.search import SearchArgs as SearchArgs, SearchResult as SearchResult
    from . import codecs as codecs
    from .calls import (
        new_call_tool_call as new_call_tool_call,
        new_invoke_skill_call as new_invoke_skill_call,
        new_read_call as new_read_call,
        new_recall_call as new_recall_call,
        new_search_call as new_search_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        CALL_TOOL as CALL_TOOL,
        INVOKE_SKILL as INVOKE_SKILL,
        READ as READ,
        RECALL as RECALL,
        SEARCH as SEARCH,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CALL_TOOL": ".idents",
            "CallToolArgs": ".types.call_tool",
            "CallToolResult": ".types.call_tool",
            "Handlers": ".dispatch",
            "INVOKE_SKILL": ".idents",
            "InvokeSkillArgs": ".types.invoke_skill",
            "InvokeSkillResult": ".types.invoke_skill",
            "READ": ".idents",
            "RECALL": ".idents",
            "ReadArgs": ".types.read",
            "ReadResult": ".types.read",
            "RecallArgs": ".types.recall",
            "RecallResult": ".types.recall",
            "SEARCH": ".idents",
            "SearchArgs": ".types.search",
            "SearchResult": ".types.search",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_call_tool_call": ".calls",
            "new_invoke_skill_call": ".calls",
            "new_read_call": ".calls",
            "new_recall_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_call": ".calls",
        },
    )
