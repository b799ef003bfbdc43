"""Types that several tools share, in `results`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Row(ClosedModel):
    id_: Annotated[int, Field(alias="id")]
    name: str | None = None
