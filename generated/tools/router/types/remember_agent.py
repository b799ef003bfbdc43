"""Types of the tool `remember_agent`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Remembered


class RememberAgentArgs(ClosedModel):
    """Args of `remember_agent`: Store a memory record of this agent. One of the same name is replaced."""

    slug: str
    body: str


RememberAgentResult: TypeAlias = Remembered
