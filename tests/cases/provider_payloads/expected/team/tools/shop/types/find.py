"""Types of the tool `find`, in `team.shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Price


class FindArgs(ClosedModel):
    """Args of `find`: Find articles."""

    word: str
    """The word."""
    below: Price | None = None
    limit: int | None = None


FindResult: TypeAlias = JsonValue
