"""Types of the tool `read_memory_body`, in `router`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class ReadMemoryBodyArgs(ClosedModel):
    """Args of `read_memory_body`: Read the body of one memory record."""

    slug: Annotated[str, Field(max_length=64)]
    layer: Literal["shared", "agent"] | None = None
    """Left out: the agent's own record, or else the shared one."""


ReadMemoryBodyResult: TypeAlias = str
