"""Idents of the tools of `mcp.assets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.chat_with_x import ChatWithXArgs, ChatWithXResult
    from .types.put_asset import PutAssetArgs, PutAssetResult
    from .types.search_issues import SearchIssuesArgs, SearchIssuesResult

CHAT_WITH_X: Final[Ident[ChatWithXArgs, ChatWithXResult]] = Ident("mcp.assets.chat-with-X")
"""Chat with ${X}."""

PUT_ASSET: Final[Ident[PutAssetArgs, PutAssetResult]] = Ident("mcp.assets.put_asset")
"""Store an asset."""

SEARCH_ISSUES: Final[Ident[SearchIssuesArgs, SearchIssuesResult]] = Ident("mcp.assets.search_issues")
"""Search issues."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CHAT_WITH_X,
    PUT_ASSET,
    SEARCH_ISSUES,
)
"""Every tool of this toolset."""
