"""Types of the tool `bounds`, in `drafts.four`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: In draft-04 an exclusive bound is a truth value beside the bound."""

    over: int | float
    whole: int | None = None
    const: str | None = None


BoundsResult: TypeAlias = JsonValue
