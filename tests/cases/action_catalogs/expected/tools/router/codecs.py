"""Codecs of `router`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.call_tool import CallToolArgs, CallToolResult
    from .types.invoke_skill import InvokeSkillArgs, InvokeSkillResult
    from .types.read import ReadArgs, ReadResult
    from .types.recall import RecallArgs, RecallResult
    from .types.search import SearchArgs, SearchResult

CALL_TOOL_ARGS: Final[Codec[CallToolArgs]] = Codec.of_package(PACKAGE, "router.call_tool", "args")
CALL_TOOL_RESULT: Final[Codec[CallToolResult]] = Codec.of_package(PACKAGE, "router.call_tool", "result")
INVOKE_SKILL_ARGS: Final[Codec[InvokeSkillArgs]] = Codec.of_package(PACKAGE, "router.invoke_skill", "args")
INVOKE_SKILL_RESULT: Final[Codec[InvokeSkillResult]] = Codec.of_package(PACKAGE, "router.invoke_skill", "result")
READ_ARGS: Final[Codec[ReadArgs]] = Codec.of_package(PACKAGE, "router.read", "args")
READ_RESULT: Final[Codec[ReadResult]] = Codec.of_package(PACKAGE, "router.read", "result")
RECALL_ARGS: Final[Codec[RecallArgs]] = Codec.of_package(PACKAGE, "router.recall", "args")
RECALL_RESULT: Final[Codec[RecallResult]] = Codec.of_package(PACKAGE, "router.recall", "result")
SEARCH_ARGS: Final[Codec[SearchArgs]] = Codec.of_package(PACKAGE, "router.search", "args")
SEARCH_RESULT: Final[Codec[SearchResult]] = Codec.of_package(PACKAGE, "router.search", "result")
