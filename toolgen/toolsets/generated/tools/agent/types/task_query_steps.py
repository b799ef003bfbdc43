"""Types of the tool `task_query_steps`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Step, StepState


class TaskQueryStepsArgs(ClosedModel):
    """Args of `task_query_steps`: Find the steps of a task that are ready, or in another state."""

    task_id: str
    state: StepState | None = None


TaskQueryStepsResult: TypeAlias = list[Step]
