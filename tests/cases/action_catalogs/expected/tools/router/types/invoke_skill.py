"""Types of the tool `invoke_skill`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class InvokeSkillArgs(ClosedModel):
    """Args of `invoke_skill`: Run a skill."""

    name: str
    input_: Annotated[dict[str, JsonValue], Field(alias="input")]


InvokeSkillResult: TypeAlias = JsonValue
