"""Codecs of `mcp.assets`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.chat_with_x import ChatWithXArgs, ChatWithXResult
    from .types.put_asset import PutAssetArgs, PutAssetResult
    from .types.search_issues import SearchIssuesArgs, SearchIssuesResult

CHAT_WITH_X_ARGS: Final[Codec[ChatWithXArgs]] = Codec.of_package(PACKAGE, "mcp.assets.chat-with-X", "args")
CHAT_WITH_X_RESULT: Final[Codec[ChatWithXResult]] = Codec.of_package(PACKAGE, "mcp.assets.chat-with-X", "result")
PUT_ASSET_ARGS: Final[Codec[PutAssetArgs]] = Codec.of_package(PACKAGE, "mcp.assets.put_asset", "args")
PUT_ASSET_RESULT: Final[Codec[PutAssetResult]] = Codec.of_package(PACKAGE, "mcp.assets.put_asset", "result")
SEARCH_ISSUES_ARGS: Final[Codec[SearchIssuesArgs]] = Codec.of_package(PACKAGE, "mcp.assets.search_issues", "args")
SEARCH_ISSUES_RESULT: Final[Codec[SearchIssuesResult]] = Codec.of_package(PACKAGE, "mcp.assets.search_issues", "result")
