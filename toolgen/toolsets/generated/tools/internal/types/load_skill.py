"""Types of the tool `load_skill`, in `internal`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class LoadSkillArgs(ClosedModel):
    name: str


LoadSkillResult: TypeAlias = JsonValue
