"""Types that several tools share, in `core`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Point(ClosedModel):
    x: int | float
    y: Annotated[int, Field(ge=0, lt=10)] | Annotated[float, Field(ge=0, lt=10)]
