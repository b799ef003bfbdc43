"""`router`: What the action catalog dispatches to. Models see these through the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...shared_types import Hit as Hit
    from .types.delegate_to_agent import (
        DelegateToAgentArgs as DelegateToAgentArgs,
        DelegateToAgentResult as DelegateToAgentResult,
    )
    from .types.delete_file import DeleteFileArgs as DeleteFileArgs, DeleteFileResult as DeleteFileResult
    from .types.drop_source import DropSourceArgs as DropSourceArgs, DropSourceResult as DropSourceResult
    from .types.forget import ForgetArgs as ForgetArgs, ForgetResult as ForgetResult
    from .types.invoke_skill import InvokeSkillArgs as InvokeSkillArgs, InvokeSkillResult as InvokeSkillResult
    from .types.read_memory_body import (
        ReadMemoryBodyArgs as ReadMemoryBodyArgs,
        ReadMemoryBodyResult as ReadMemoryBodyResult,
    )
    from .types.recall import RecallArgs as RecallArgs, RecallResult as RecallResult
    from .types.remember_agent import RememberAgentArgs as RememberAgentArgs, RememberAgentResult as RememberAgentResult
    from .types.remember_shared import (
        RememberSharedArgs as RememberSharedArgs,
        RememberSharedResult as RememberSharedResult,
    )
    from .types.sandboxed_exec import SandboxedExecArgs as SandboxedExecArgs, SandboxedExecResult as SandboxedExecResult
    from .types.shared import MemoryLayer as MemoryLayer, Remembered as Remembered, Slug as Slug
    from .types.source_list import SourceListArgs as SourceListArgs, SourceListResult as SourceListResult
    from .types.source_read import SourceReadArgs as SourceReadArgs, SourceReadResult as SourceReadResult
    from .types.web_fetch import WebFetchArgs as WebFetchArgs, WebFetchResult as WebFetchResult
    from .types.web_search import WebSearchArgs as WebSearchArgs, WebSearchResult as WebSearchResult
    from . import codecs as codecs
    from .calls import (
        new_delegate_to_agent_call as new_delegate_to_agent_call,
        new_delete_file_call as new_delete_file_call,
        new_drop_source_call as new_drop_source_call,
        new_forget_call as new_forget_call,
        new_invoke_skill_call as new_invoke_skill_call,
        new_read_memory_body_call as new_read_memory_body_call,
        new_recall_call as new_recall_call,
        new_remember_agent_call as new_remember_agent_call,
        new_remember_shared_call as new_remember_shared_call,
        new_sandboxed_exec_call as new_sandboxed_exec_call,
        new_source_list_call as new_source_list_call,
        new_source_read_call as new_source_read_call,
        new_web_fetch_call as new_web_fetch_call,
        new_web_search_call as new_web_search_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        DELEGATE_TO_AGENT as DELEGATE_TO_AGENT,
        DELETE_FILE as DELETE_FILE,
        DROP_SOURCE as DROP_SOURCE,
        FORGET as FORGET,
        INVOKE_SKILL as INVOKE_SKILL,
        READ_MEMORY_BODY as READ_MEMORY_BODY,
        RECALL as RECALL,
        REMEMBER_AGENT as REMEMBER_AGENT,
        REMEMBER_SHARED as REMEMBER_SHARED,
        SANDBOXED_EXEC as SANDBOXED_EXEC,
        SOURCE_LIST as SOURCE_LIST,
        SOURCE_READ as SOURCE_READ,
        WEB_FETCH as WEB_FETCH,
        WEB_SEARCH as WEB_SEARCH,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "DELEGATE_TO_AGENT": ".idents",
            "DELETE_FILE": ".idents",
            "DROP_SOURCE": ".idents",
            "DelegateToAgentArgs": ".types.delegate_to_agent",
            "DelegateToAgentResult": ".types.delegate_to_agent",
            "DeleteFileArgs": ".types.delete_file",
            "DeleteFileResult": ".types.delete_file",
            "DropSourceArgs": ".types.drop_source",
            "DropSourceResult": ".types.drop_source",
            "FORGET": ".idents",
            "ForgetArgs": ".types.forget",
            "ForgetResult": ".types.forget",
            "Handlers": ".dispatch",
            "Hit": "...shared_types",
            "INVOKE_SKILL": ".idents",
            "InvokeSkillArgs": ".types.invoke_skill",
            "InvokeSkillResult": ".types.invoke_skill",
            "MemoryLayer": ".types.shared",
            "READ_MEMORY_BODY": ".idents",
            "RECALL": ".idents",
            "REMEMBER_AGENT": ".idents",
            "REMEMBER_SHARED": ".idents",
            "ReadMemoryBodyArgs": ".types.read_memory_body",
            "ReadMemoryBodyResult": ".types.read_memory_body",
            "RecallArgs": ".types.recall",
            "RecallResult": ".types.recall",
            "RememberAgentArgs": ".types.remember_agent",
            "RememberAgentResult": ".types.remember_agent",
            "RememberSharedArgs": ".types.remember_shared",
            "RememberSharedResult": ".types.remember_shared",
            "Remembered": ".types.shared",
            "SANDBOXED_EXEC": ".idents",
            "SOURCE_LIST": ".idents",
            "SOURCE_READ": ".idents",
            "SandboxedExecArgs": ".types.sandboxed_exec",
            "SandboxedExecResult": ".types.sandboxed_exec",
            "Slug": ".types.shared",
            "SourceListArgs": ".types.source_list",
            "SourceListResult": ".types.source_list",
            "SourceReadArgs": ".types.source_read",
            "SourceReadResult": ".types.source_read",
            "WEB_FETCH": ".idents",
            "WEB_SEARCH": ".idents",
            "WebFetchArgs": ".types.web_fetch",
            "WebFetchResult": ".types.web_fetch",
            "WebSearchArgs": ".types.web_search",
            "WebSearchResult": ".types.web_search",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_delegate_to_agent_call": ".calls",
            "new_delete_file_call": ".calls",
            "new_drop_source_call": ".calls",
            "new_forget_call": ".calls",
            "new_invoke_skill_call": ".calls",
            "new_read_memory_body_call": ".calls",
            "new_recall_call": ".calls",
            "new_registration": ".dispatch",
            "new_remember_agent_call": ".calls",
            "new_remember_shared_call": ".calls",
            "new_sandboxed_exec_call": ".calls",
            "new_source_list_call": ".calls",
            "new_source_read_call": ".calls",
            "new_web_fetch_call": ".calls",
            "new_web_search_call": ".calls",
        },
    )
