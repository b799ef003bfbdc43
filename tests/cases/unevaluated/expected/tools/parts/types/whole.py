"""Types of the tool `whole`, in `parts`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class WholeArgs(OpenModel):
    """Args of `whole`: Fields of all parts, and no others."""

    c: bool | None = None
    a: str
    b: int | None = None


WholeResult: TypeAlias = JsonValue
