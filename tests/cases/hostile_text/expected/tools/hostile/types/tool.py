"""Types of the tool `tool`, in `hostile`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel, OpenModel

from .shared import Quoted


class ToolArgs(ClosedModel):
    """Args of `tool`: \"\"\"Ends early\"\"\" | and <b>goes</b> on\\"""

    value: Quoted
    e: Annotated[str | None, Field(alias="é́")] = None
    x: Annotated[Literal["${x}\r\n"] | None, Field(alias="${x}")] = None


class ToolResult(OpenModel):
    """'''"""

    xa9253dc8: Annotated[str | None, Field(alias="\\")] = None
