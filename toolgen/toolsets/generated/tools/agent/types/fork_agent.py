"""Types of the tool `fork_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel

from .shared import Child


class ForkAgentArgs(ClosedModel):
    prompt: str
    allowed_tools: list[str] | None = None


ForkAgentResult: TypeAlias = Child
