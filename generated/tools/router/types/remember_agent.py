"""Types of the tool `remember_agent`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class RememberAgentArgs(ClosedModel):
    """Args of `remember_agent`: Store a memory record of this agent."""

    slug: str
    body: str


RememberAgentResult: TypeAlias = JsonValue
