"""Idents of the tools of `router`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

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

DELEGATE_TO_AGENT: Final[Ident[DelegateToAgentArgs, DelegateToAgentResult]] = Ident("router.delegate_to_agent")
"""Send a message to a peer agent and wait for the answer."""

DELETE_FILE: Final[Ident[DeleteFileArgs, DeleteFileResult]] = Ident("router.delete_file")
"""Delete one file."""

DROP_SOURCE: Final[Ident[DropSourceArgs, DropSourceResult]] = Ident("router.drop_source")
"""Remove an indexed corpus."""

FORGET: Final[Ident[ForgetArgs, ForgetResult]] = Ident("router.forget")
"""Delete a memory record."""

INVOKE_SKILL: Final[Ident[InvokeSkillArgs, InvokeSkillResult]] = Ident("router.invoke_skill")
"""Run a workflow with an input artifact."""

READ_MEMORY_BODY: Final[Ident[ReadMemoryBodyArgs, ReadMemoryBodyResult]] = Ident("router.read_memory_body")
"""Read the body of one memory record."""

RECALL: Final[Ident[RecallArgs, RecallResult]] = Ident("router.recall")
"""Search indexed corpora by meaning."""

REMEMBER_AGENT: Final[Ident[RememberAgentArgs, RememberAgentResult]] = Ident("router.remember_agent")
"""Store a memory record of this agent. One of the same name is replaced."""

REMEMBER_SHARED: Final[Ident[RememberSharedArgs, RememberSharedResult]] = Ident("router.remember_shared")
"""Store a memory record that every agent can read. One of the same name is replaced."""

SANDBOXED_EXEC: Final[Ident[SandboxedExecArgs, SandboxedExecResult]] = Ident("router.sandboxed_exec")
"""Run a command in the sandbox."""

SOURCE_LIST: Final[Ident[SourceListArgs, SourceListResult]] = Ident("router.source_list")
"""List the product's own docs and source."""

SOURCE_READ: Final[Ident[SourceReadArgs, SourceReadResult]] = Ident("router.source_read")
"""Read one document of the product's own docs and source."""

WEB_FETCH: Final[Ident[WebFetchArgs, WebFetchResult]] = Ident("router.web_fetch")
"""Fetch a page as text."""

WEB_SEARCH: Final[Ident[WebSearchArgs, WebSearchResult]] = Ident("router.web_search")
"""Search the web."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    DELEGATE_TO_AGENT,
    DELETE_FILE,
    DROP_SOURCE,
    FORGET,
    INVOKE_SKILL,
    READ_MEMORY_BODY,
    RECALL,
    REMEMBER_AGENT,
    REMEMBER_SHARED,
    SANDBOXED_EXEC,
    SOURCE_LIST,
    SOURCE_READ,
    WEB_FETCH,
    WEB_SEARCH,
)
"""Every tool of this toolset."""
