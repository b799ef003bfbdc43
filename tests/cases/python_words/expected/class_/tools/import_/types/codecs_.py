"""Types of the tool `codecs`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CodecsArgs(ClosedModel):
    """Args of `codecs`: A module of the toolset."""

    codecs_: Annotated[str, Field(alias="codecs")]


CodecsResult: TypeAlias = JsonValue
