"""Types of the tool `delegate_to_agent`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DelegateToAgentArgs(ClosedModel):
    """Args of `delegate_to_agent`: Send a message to a peer agent and wait for the answer."""

    to: str
    request: Annotated[str, Field(min_length=1)]
    """What the peer should do."""


DelegateToAgentResult: TypeAlias = JsonValue
