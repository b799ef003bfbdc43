"""Types of the tool `fork_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Child


class ForkAgentArgs(ClosedModel):
    """Args of `fork_agent`: Continue in a copy of this agent and wait for its result."""

    prompt: str
    allowed_tools: list[str] | None = None


ForkAgentResult: TypeAlias = Child
