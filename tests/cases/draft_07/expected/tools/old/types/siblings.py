"""Types of the tool `siblings`, in `old`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import OpenModel


class SiblingsArgs(OpenModel):
    """Args of `siblings`: Beside $ref nothing counts."""

    tag: str | None = None
    typed: Annotated[str, Field(min_length=1)] | None = None


SiblingsResult: TypeAlias = JsonValue
