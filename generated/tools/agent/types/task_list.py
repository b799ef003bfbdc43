"""Types of the tool `task_list`, in `agent`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.codec.models import ClosedModel

from .shared import TaskSummary


class TaskListArgs(ClosedModel):
    """Args of `task_list`: List tasks, the one that changed last first."""

    state: Literal["open", "done", "failed", "cancelled"] | None = None
    limit: int = 20


class TaskListResult(ClosedModel):
    """Result of `task_list`: List tasks, the one that changed last first."""

    tasks: list[TaskSummary]
    truncated: bool
