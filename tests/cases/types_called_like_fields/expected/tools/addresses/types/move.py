"""Types of the tool `move`, in `addresses`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel, OpenModel

from .shared import Address, Zip


class MoveArgsMoveResult(OpenModel):
    MoveArgs: str | None = None


class MoveArgs(ClosedModel):
    """Args of `move`: Fields and types of the same names."""

    Address_: Annotated[Address, Field(alias="Address")]
    Zip_: Annotated[list[Zip] | None, Field(alias="Zip")] = None
    Street: str | None = None
    MoveArgs_: Annotated[str | None, Field(alias="MoveArgs")] = None
    MoveResult: MoveArgsMoveResult | None = None


class MoveResult(ClosedModel):
    """Result of `move`: Fields and types of the same names."""

    Address: str
