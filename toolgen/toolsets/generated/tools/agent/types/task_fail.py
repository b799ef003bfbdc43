"""Types of the tool `task_fail`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskFailArgs(ClosedModel):
    """Args of `task_fail`: Close a task as failed, whatever its steps are."""

    task_id: str
    reason: str


TaskFailResult: TypeAlias = Task
