"""Types of the tool `meant`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class MeantArgs(ClosedModel):
    """Args of `meant`: Names that end in a mark."""

    why: Annotated[str, Field(alias="why!")]
    what: Annotated[str, Field(alias="what?")]


MeantResult: TypeAlias = JsonValue
