"""Types of the tool `create_sub_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Child


class CreateSubAgentArgs(ClosedModel):
    """Args of `create_sub_agent`: Start a sub agent and wait for its result."""

    agent_definition_id: str
    prompt: str
    allowed_tools: list[str] | None = None


CreateSubAgentResult: TypeAlias = Child
