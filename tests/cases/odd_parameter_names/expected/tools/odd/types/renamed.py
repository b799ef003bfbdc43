"""Types of the tool `renamed`, in `odd`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import OpenModel


class RenamedArgs(OpenModel):
    """Args of `renamed`: Names that would meet in Python are told apart by `rename`."""

    padded_asset_id: Annotated[str, Field(alias=" asset_id ")]
    asset_id: int | None = None
    dashed_asset_id: Annotated[bool | None, Field(alias="asset-id")] = None


class RenamedResult(OpenModel):
    """Result of `renamed`: Names that would meet in Python are told apart by `rename`."""

    full_name: Annotated[str | None, Field(alias="user.name")] = None
    user_name: str | None = None
