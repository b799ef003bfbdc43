"""Types of the tool `calls`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CallsArgs(ClosedModel):
    """Args of `calls`: A module of the toolset."""

    build_call_: Annotated[str, Field(alias="build_call")]


CallsResult: TypeAlias = JsonValue
