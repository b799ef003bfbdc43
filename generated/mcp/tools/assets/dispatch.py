"""What runs the tools of `mcp.assets`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.chat_with_x import ChatWithXArgs, ChatWithXResult
    from .types.put_asset import PutAssetArgs, PutAssetResult
    from .types.search_issues import SearchIssuesArgs, SearchIssuesResult


class Handlers(Protocol):
    """One method for each tool of `mcp.assets`, sync or async."""

    def chat_with_x(self, args: ChatWithXArgs, meta: ToolCallMeta, /) -> Returns[ChatWithXResult]:
        """Chat with ${X}."""
        ...

    def put_asset(self, args: PutAssetArgs, meta: ToolCallMeta, /) -> Returns[PutAssetResult]:
        """Store an asset."""
        ...

    def search_issues(self, args: SearchIssuesArgs, meta: ToolCallMeta, /) -> Returns[SearchIssuesResult]:
        """Search issues."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.assets",
        handlers={
            idents.CHAT_WITH_X: handlers.chat_with_x,
            idents.PUT_ASSET: handlers.put_asset,
            idents.SEARCH_ISSUES: handlers.search_issues,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.assets",
        executor=executor,
        decode_in_executor=True,
    )
