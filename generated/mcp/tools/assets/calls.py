"""Call builders of `mcp.assets`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_chat_with_x_call(*, message: str) -> ToolRequest:
    """Ask for `mcp.assets.chat-with-X`: Chat with ${X}.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CHAT_WITH_X, codecs.CHAT_WITH_X_ARGS, {"message": message})


def new_put_asset_call(
    *, from_: str, Content_Type: str, asset_id_padded: str, asset_id: int | None = None
) -> ToolRequest:
    """Ask for `mcp.assets.put_asset`: Store an asset.

    Args:
        from_: Where it comes from.
        asset_id: An older id.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PUT_ASSET,
        codecs.PUT_ASSET_ARGS,
        {"from": from_, "Content-Type": Content_Type, " asset_id ": asset_id_padded, "asset_id": asset_id},
    )


def new_search_issues_call(*, query: str, state: Literal["open", "closed", "all"] = "open") -> ToolRequest:
    """Ask for `mcp.assets.search_issues`: Search issues.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SEARCH_ISSUES, codecs.SEARCH_ISSUES_ARGS, {"query": query, "state": state}, {"state": "open"}
    )
