"""Types of the tool `task_list`, in `agent`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import TaskState, TaskSummary


class TaskListArgs(ClosedModel):
    """Args of `task_list`: List tasks, the one that changed last first."""

    state: TaskState | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class TaskListResult(ClosedModel):
    """Result of `task_list`: List tasks, the one that changed last first."""

    tasks: list[TaskSummary]
    truncated: bool
