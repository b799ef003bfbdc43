"""Types of the tool `load_skill`, in `internal`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class LoadSkillArgs(ClosedModel):
    """Args of `load_skill`: Load the instructions of a skill into the context."""

    name: str


class LoadSkillResult(ClosedModel):
    """Result of `load_skill`: Load the instructions of a skill into the context."""

    name: str
    instructions: str
