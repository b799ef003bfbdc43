"""Types of the tool `ping`, in `team.shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PingArgs(ClosedModel):
    """Args of `ping`: Look whether it is open."""


PingResult: TypeAlias = JsonValue
