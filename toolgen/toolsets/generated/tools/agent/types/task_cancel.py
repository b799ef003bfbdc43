"""Types of the tool `task_cancel`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskCancelArgs(ClosedModel):
    """Args of `task_cancel`: Close a task that is no longer wanted."""

    task_id: str
    reason: str | None = None


TaskCancelResult: TypeAlias = Task
