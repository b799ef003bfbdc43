"""Types of the tool `add`, in `shop`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Item


class AddArgs(ClosedModel):
    """Args of `add`: A spec in JSON says the same as one in YAML."""

    items: list[Item]
    note: Annotated[str, Field(max_length=10)] | None = None


class AddResult(ClosedModel):
    """Result of `add`: A spec in JSON says the same as one in YAML."""

    total: int | float
