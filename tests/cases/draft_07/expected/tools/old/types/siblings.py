"""Types of the tool `siblings`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class SiblingsArgs(OpenModel):
    """Args of `siblings`: Beside $ref nothing counts."""

    tag: str | None = None
    typed: str | None = None


SiblingsResult: TypeAlias = JsonValue
