"""Types of the tool `inspect_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class InspectAgentArgs(ClosedModel):
    agent_id: str


InspectAgentResult: TypeAlias = str
