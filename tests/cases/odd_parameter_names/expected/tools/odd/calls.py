"""Call builders of `odd`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_published_call() -> ToolRequest:
    """Ask for `odd.published`: Names found in published tools.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PUBLISHED, codecs.PUBLISHED_ARGS, {})


def new_renamed_call(
    *, padded_asset_id: str, asset_id: int | None = None, dashed_asset_id: bool | None = None
) -> ToolRequest:
    """Ask for `odd.renamed`: Names that would meet in Python are told apart by `rename`.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.RENAMED,
        codecs.RENAMED_ARGS,
        {" asset_id ": padded_asset_id, "asset_id": asset_id, "asset-id": dashed_asset_id},
    )
