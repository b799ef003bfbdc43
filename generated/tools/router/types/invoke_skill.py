"""Types of the tool `invoke_skill`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class InvokeSkillArgs(ClosedModel):
    """Args of `invoke_skill`: Run a workflow with an input artifact."""

    name: str
    input_: Annotated[JsonValue, Field(alias="input")]


InvokeSkillResult: TypeAlias = JsonValue
