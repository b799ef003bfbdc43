"""Types of the tool `task_get`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskGetArgs(ClosedModel):
    """Args of `task_get`: Read a task."""

    task_id: str


TaskGetResult: TypeAlias = Task
