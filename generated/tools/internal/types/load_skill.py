"""Types of the tool `load_skill`, in `internal`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class LoadSkillArgs(ClosedModel):
    """Args of `load_skill`: Load the instructions of a skill into the context."""

    name: str


LoadSkillResult: TypeAlias = JsonValue
