"""Types of the tool `count`, in `results`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class CountArgs(ClosedModel):
    """Args of `count`: A count."""


CountResult: TypeAlias = Annotated[int, Field(ge=0)]
