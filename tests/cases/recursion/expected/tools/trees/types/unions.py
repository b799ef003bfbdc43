"""Types of the tool `unions`, in `trees`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import ExpressionOption1, ExpressionOption2, Rule


class UnionsArgs(ClosedModel):
    """Args of `unions`: Choices that contain themselves."""

    json_: Annotated[str | int | float | list[JsonValue] | dict[str, JsonValue], Field(alias="json")]
    expression: ExpressionOption1 | ExpressionOption2 | None = None
    rule: Rule | None = None


UnionsResult: TypeAlias = ExpressionOption1 | ExpressionOption2
