"""Types of the tool `count_lines`, in `local`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class CountLinesArgs(ClosedModel):
    """Args of `count_lines`: Count the lines of a file that match a pattern."""

    path: str
    pattern: str
    max_: Annotated[Annotated[int, Field(ge=1)] | None, Field(alias="max")] = None


CountLinesResult: TypeAlias = str
