"""Types of the tool `list_agent_definitions`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Definition


class ListAgentDefinitionsArgs(ClosedModel):
    """Args of `list_agent_definitions`: List the agents that can be started."""


ListAgentDefinitionsResult: TypeAlias = list[Definition]
