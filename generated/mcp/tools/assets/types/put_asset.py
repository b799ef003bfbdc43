"""Types of the tool `put_asset`, in `mcp.assets`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import OpenModel


class PutAssetArgs(OpenModel):
    """Args of `put_asset`: Store an asset."""

    from_: Annotated[str, Field(alias="from")]
    """Where it comes from."""
    Content_Type: Annotated[str, Field(alias="Content-Type")]
    asset_id_padded: Annotated[str, Field(alias=" asset_id ")]
    asset_id: int | None = None
    """An older id."""


PutAssetResult: TypeAlias = JsonValue
