"""Types of the tool `task_list`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel

from .shared import Task


class TaskListArgs(ClosedModel):
    """Args of `task_list`: List tasks."""


TaskListResult: TypeAlias = list[Task]
