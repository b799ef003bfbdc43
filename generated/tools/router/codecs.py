"""Codecs of `router`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.delegate_to_agent import DelegateToAgentArgs, DelegateToAgentResult
    from .types.delete_file import DeleteFileArgs, DeleteFileResult
    from .types.drop_source import DropSourceArgs, DropSourceResult
    from .types.forget import ForgetArgs, ForgetResult
    from .types.invoke_skill import InvokeSkillArgs, InvokeSkillResult
    from .types.read_memory_body import ReadMemoryBodyArgs, ReadMemoryBodyResult
    from .types.recall import RecallArgs, RecallResult
    from .types.remember_agent import RememberAgentArgs, RememberAgentResult
    from .types.remember_shared import RememberSharedArgs, RememberSharedResult
    from .types.sandboxed_exec import SandboxedExecArgs, SandboxedExecResult
    from .types.source_list import SourceListArgs, SourceListResult
    from .types.source_read import SourceReadArgs, SourceReadResult
    from .types.web_fetch import WebFetchArgs, WebFetchResult
    from .types.web_search import WebSearchArgs, WebSearchResult

DELEGATE_TO_AGENT_ARGS: Final[Codec[DelegateToAgentArgs]] = Codec.of_package(
    PACKAGE, "router.delegate_to_agent", "args"
)
DELEGATE_TO_AGENT_RESULT: Final[Codec[DelegateToAgentResult]] = Codec.of_package(
    PACKAGE, "router.delegate_to_agent", "result"
)
DELETE_FILE_ARGS: Final[Codec[DeleteFileArgs]] = Codec.of_package(PACKAGE, "router.delete_file", "args")
DELETE_FILE_RESULT: Final[Codec[DeleteFileResult]] = Codec.of_package(PACKAGE, "router.delete_file", "result")
DROP_SOURCE_ARGS: Final[Codec[DropSourceArgs]] = Codec.of_package(PACKAGE, "router.drop_source", "args")
DROP_SOURCE_RESULT: Final[Codec[DropSourceResult]] = Codec.of_package(PACKAGE, "router.drop_source", "result")
FORGET_ARGS: Final[Codec[ForgetArgs]] = Codec.of_package(PACKAGE, "router.forget", "args")
FORGET_RESULT: Final[Codec[ForgetResult]] = Codec.of_package(PACKAGE, "router.forget", "result")
INVOKE_SKILL_ARGS: Final[Codec[InvokeSkillArgs]] = Codec.of_package(PACKAGE, "router.invoke_skill", "args")
INVOKE_SKILL_RESULT: Final[Codec[InvokeSkillResult]] = Codec.of_package(PACKAGE, "router.invoke_skill", "result")
READ_MEMORY_BODY_ARGS: Final[Codec[ReadMemoryBodyArgs]] = Codec.of_package(PACKAGE, "router.read_memory_body", "args")
READ_MEMORY_BODY_RESULT: Final[Codec[ReadMemoryBodyResult]] = Codec.of_package(
    PACKAGE, "router.read_memory_body", "result"
)
RECALL_ARGS: Final[Codec[RecallArgs]] = Codec.of_package(PACKAGE, "router.recall", "args")
RECALL_RESULT: Final[Codec[RecallResult]] = Codec.of_package(PACKAGE, "router.recall", "result")
REMEMBER_AGENT_ARGS: Final[Codec[RememberAgentArgs]] = Codec.of_package(PACKAGE, "router.remember_agent", "args")
REMEMBER_AGENT_RESULT: Final[Codec[RememberAgentResult]] = Codec.of_package(PACKAGE, "router.remember_agent", "result")
REMEMBER_SHARED_ARGS: Final[Codec[RememberSharedArgs]] = Codec.of_package(PACKAGE, "router.remember_shared", "args")
REMEMBER_SHARED_RESULT: Final[Codec[RememberSharedResult]] = Codec.of_package(
    PACKAGE, "router.remember_shared", "result"
)
SANDBOXED_EXEC_ARGS: Final[Codec[SandboxedExecArgs]] = Codec.of_package(PACKAGE, "router.sandboxed_exec", "args")
SANDBOXED_EXEC_RESULT: Final[Codec[SandboxedExecResult]] = Codec.of_package(PACKAGE, "router.sandboxed_exec", "result")
SOURCE_LIST_ARGS: Final[Codec[SourceListArgs]] = Codec.of_package(PACKAGE, "router.source_list", "args")
SOURCE_LIST_RESULT: Final[Codec[SourceListResult]] = Codec.of_package(PACKAGE, "router.source_list", "result")
SOURCE_READ_ARGS: Final[Codec[SourceReadArgs]] = Codec.of_package(PACKAGE, "router.source_read", "args")
SOURCE_READ_RESULT: Final[Codec[SourceReadResult]] = Codec.of_package(PACKAGE, "router.source_read", "result")
WEB_FETCH_ARGS: Final[Codec[WebFetchArgs]] = Codec.of_package(PACKAGE, "router.web_fetch", "args")
WEB_FETCH_RESULT: Final[Codec[WebFetchResult]] = Codec.of_package(PACKAGE, "router.web_fetch", "result")
WEB_SEARCH_ARGS: Final[Codec[WebSearchArgs]] = Codec.of_package(PACKAGE, "router.web_search", "args")
WEB_SEARCH_RESULT: Final[Codec[WebSearchResult]] = Codec.of_package(PACKAGE, "router.web_search", "result")
