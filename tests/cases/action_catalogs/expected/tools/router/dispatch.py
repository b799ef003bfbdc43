"""What runs the tools of `router`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.call_tool import CallToolArgs, CallToolResult
    from .types.invoke_skill import InvokeSkillArgs, InvokeSkillResult
    from .types.read import ReadArgs, ReadResult
    from .types.recall import RecallArgs, RecallResult
    from .types.search import SearchArgs, SearchResult


class Handlers(Protocol):
    """One method for each tool of `router`, sync or async."""

    def call_tool(self, args: CallToolArgs, meta: ToolCallMeta, /) -> Returns[CallToolResult]:
        """Call a tool of a server."""
        ...

    def invoke_skill(self, args: InvokeSkillArgs, meta: ToolCallMeta, /) -> Returns[InvokeSkillResult]:
        """Run a skill."""
        ...

    def read(self, args: ReadArgs, meta: ToolCallMeta, /) -> Returns[ReadResult]:
        """Read a file."""
        ...

    def recall(self, args: RecallArgs, meta: ToolCallMeta, /) -> Returns[RecallResult]:
        """Ask sources."""
        ...

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Search the web."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="router",
        handlers={
            idents.CALL_TOOL: handlers.call_tool,
            idents.INVOKE_SKILL: handlers.invoke_skill,
            idents.READ: handlers.read,
            idents.RECALL: handlers.recall,
            idents.SEARCH: handlers.search,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="router",
        executor=executor,
    )
