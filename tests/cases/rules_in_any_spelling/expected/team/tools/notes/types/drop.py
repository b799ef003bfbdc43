"""Types of the tool `drop`, in `team.notes`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DropArgs(ClosedModel):
    """Args of `drop`: Drop a note."""

    id_: Annotated[str, Field(alias="id")]


DropResult: TypeAlias = JsonValue
