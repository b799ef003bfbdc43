"""`mcp.assets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.chat_with_x import ChatWithXArgs as ChatWithXArgs, ChatWithXResult as ChatWithXResult
    from .types.put_asset import PutAssetArgs as PutAssetArgs, PutAssetResult as PutAssetResult
    from .types.search_issues import SearchIssuesArgs as SearchIssuesArgs, SearchIssuesResult as SearchIssuesResult
    from . import codecs as codecs
    from .calls import (
        new_chat_with_x_call as new_chat_with_x_call,
        new_put_asset_call as new_put_asset_call,
        new_search_issues_call as new_search_issues_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CHAT_WITH_X as CHAT_WITH_X, PUT_ASSET as PUT_ASSET, SEARCH_ISSUES as SEARCH_ISSUES
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CHAT_WITH_X": ".idents",
            "ChatWithXArgs": ".types.chat_with_x",
            "ChatWithXResult": ".types.chat_with_x",
            "Handlers": ".dispatch",
            "PUT_ASSET": ".idents",
            "PutAssetArgs": ".types.put_asset",
            "PutAssetResult": ".types.put_asset",
            "SEARCH_ISSUES": ".idents",
            "SearchIssuesArgs": ".types.search_issues",
            "SearchIssuesResult": ".types.search_issues",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_chat_with_x_call": ".calls",
            "new_put_asset_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_issues_call": ".calls",
        },
    )
