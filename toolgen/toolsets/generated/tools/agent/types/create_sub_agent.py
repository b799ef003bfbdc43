"""Types of the tool `create_sub_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel

from .shared import Child


class CreateSubAgentArgs(ClosedModel):
    agent_definition_id: str
    prompt: str
    allowed_tools: list[str] | None = None


CreateSubAgentResult: TypeAlias = Child
