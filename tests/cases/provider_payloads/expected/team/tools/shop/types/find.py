"""Types of the tool `find`, in `team.shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Price


class FindArgs(ClosedModel):
    """Args of `find`: Find articles."""

    word: Annotated[str, Field(min_length=2, pattern="^[a-z]+$")]
    """The word."""
    below: Price | None = None
    limit: Annotated[int, Field(ge=1, le=50)] | None = None


FindResult: TypeAlias = JsonValue
