"""Types of the tool `list_actions`, in `actions`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ListActionsArgs(ClosedModel):
    """Args of `list_actions`: List actions by name, with a short description each."""

    category: list[str] | None = None
    """Categories to list; all by default."""
    filter_: Annotated[str | None, Field(alias="filter")] = None
    """Text that the name or the short description holds."""
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 50


ListActionsResult: TypeAlias = dict[str, JsonValue]
