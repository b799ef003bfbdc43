"""Types of the tool `remember_agent`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Remembered


class RememberAgentArgs(ClosedModel):
    """Args of `remember_agent`: Store a memory record of this agent. One of the same name is replaced."""

    slug: Annotated[str, Field(max_length=64)]
    body: str


RememberAgentResult: TypeAlias = Remembered
