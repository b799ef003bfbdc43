"""Types of the tool `load_skill`, in `internal`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class LoadSkillArgs(ClosedModel):
    """Args of `load_skill`: Load the instructions of a skill into the context."""

    name: Annotated[str, Field(min_length=1, max_length=64)]


class LoadSkillResult(ClosedModel):
    """Result of `load_skill`: Load the instructions of a skill into the context."""

    name: str
    instructions: str
