"""Types of the tool `twice`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class TwiceArgs(ClosedModel):
    """Args of `twice`: Two marks."""

    a: Annotated[str | None, Field(alias="a?")] = None
    b: Annotated[str | None, Field(alias="b!")] = None


TwiceResult: TypeAlias = JsonValue
