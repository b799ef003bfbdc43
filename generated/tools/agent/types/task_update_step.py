"""Types of the tool `task_update_step`, in `agent`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Step


class TaskUpdateStepArgs(ClosedModel):
    """Args of `task_update_step`: Report on the step that you claimed."""

    task_id: str
    step_id: str
    state: Literal["claimed", "ready", "done", "failed"]
    """`done` and `failed` end the step, `ready` gives it back, `claimed` keeps it and leaves a note."""
    note: Annotated[str, Field(max_length=4000)] | None = None
    """For those who go on from here: results, or why not."""


TaskUpdateStepResult: TypeAlias = Step
