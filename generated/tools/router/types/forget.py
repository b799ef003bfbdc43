"""Types of the tool `forget`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import MemoryLayer


class ForgetArgs(ClosedModel):
    """Args of `forget`: Delete a memory record."""

    slug: Annotated[str, Field(max_length=64)]
    layer: MemoryLayer


ForgetResult: TypeAlias = JsonValue
