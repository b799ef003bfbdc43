"""Types of the tool `list_workers`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class ListWorkersArgs(ClosedModel):
    """Args of `list_workers`: List workers and whether they are free."""


class ListWorkersResultItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    free: bool


ListWorkersResult: TypeAlias = list[ListWorkersResultItem]
