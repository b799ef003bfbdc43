"""Types of the tool `inspect_agent`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class InspectAgentArgs(ClosedModel):
    """Args of `inspect_agent`: See what an agent did."""

    agent_id: str


InspectAgentResult: TypeAlias = str
