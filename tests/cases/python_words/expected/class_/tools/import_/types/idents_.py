"""Types of the tool `idents`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class IdentsArgs(ClosedModel):
    """Args of `idents`: A module of the toolset."""

    idents_: Annotated[str, Field(alias="idents")]
    codecs_: Annotated[str, Field(alias="codecs")]


IdentsResult: TypeAlias = JsonValue
