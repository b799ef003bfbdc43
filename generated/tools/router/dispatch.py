"""What runs the tools of `router`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

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


class Handlers(Protocol):
    """One method for each tool of `router`, sync or async."""

    def delegate_to_agent(self, args: DelegateToAgentArgs, meta: ToolCallMeta, /) -> Returns[DelegateToAgentResult]:
        """Send a message to a peer agent and wait for the answer."""
        ...

    def delete_file(self, args: DeleteFileArgs, meta: ToolCallMeta, /) -> Returns[DeleteFileResult]:
        """Delete one file."""
        ...

    def drop_source(self, args: DropSourceArgs, meta: ToolCallMeta, /) -> Returns[DropSourceResult]:
        """Remove an indexed corpus."""
        ...

    def forget(self, args: ForgetArgs, meta: ToolCallMeta, /) -> Returns[ForgetResult]:
        """Delete a memory record."""
        ...

    def invoke_skill(self, args: InvokeSkillArgs, meta: ToolCallMeta, /) -> Returns[InvokeSkillResult]:
        """Run a workflow with an input artifact."""
        ...

    def read_memory_body(self, args: ReadMemoryBodyArgs, meta: ToolCallMeta, /) -> Returns[ReadMemoryBodyResult]:
        """Read the body of one memory record."""
        ...

    def recall(self, args: RecallArgs, meta: ToolCallMeta, /) -> Returns[RecallResult]:
        """Search indexed corpora by meaning."""
        ...

    def remember_agent(self, args: RememberAgentArgs, meta: ToolCallMeta, /) -> Returns[RememberAgentResult]:
        """Store a memory record of this agent. One of the same name is replaced."""
        ...

    def remember_shared(self, args: RememberSharedArgs, meta: ToolCallMeta, /) -> Returns[RememberSharedResult]:
        """Store a memory record that every agent can read. One of the same name is replaced."""
        ...

    def sandboxed_exec(self, args: SandboxedExecArgs, meta: ToolCallMeta, /) -> Returns[SandboxedExecResult]:
        """Run a command in the sandbox."""
        ...

    def source_list(self, args: SourceListArgs, meta: ToolCallMeta, /) -> Returns[SourceListResult]:
        """List the product's own docs and source."""
        ...

    def source_read(self, args: SourceReadArgs, meta: ToolCallMeta, /) -> Returns[SourceReadResult]:
        """Read one document of the product's own docs and source."""
        ...

    def web_fetch(self, args: WebFetchArgs, meta: ToolCallMeta, /) -> Returns[WebFetchResult]:
        """Fetch a page as text."""
        ...

    def web_search(self, args: WebSearchArgs, meta: ToolCallMeta, /) -> Returns[WebSearchResult]:
        """Search the web."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="router",
        handlers={
            idents.DELEGATE_TO_AGENT: handlers.delegate_to_agent,
            idents.DELETE_FILE: handlers.delete_file,
            idents.DROP_SOURCE: handlers.drop_source,
            idents.FORGET: handlers.forget,
            idents.INVOKE_SKILL: handlers.invoke_skill,
            idents.READ_MEMORY_BODY: handlers.read_memory_body,
            idents.RECALL: handlers.recall,
            idents.REMEMBER_AGENT: handlers.remember_agent,
            idents.REMEMBER_SHARED: handlers.remember_shared,
            idents.SANDBOXED_EXEC: handlers.sandboxed_exec,
            idents.SOURCE_LIST: handlers.source_list,
            idents.SOURCE_READ: handlers.source_read,
            idents.WEB_FETCH: handlers.web_fetch,
            idents.WEB_SEARCH: handlers.web_search,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="router",
        executor=executor,
    )
