"""Types of the tool `task_update`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import NewStep, Task


class TaskUpdateArgs(ClosedModel):
    """Args of `task_update`: Change the title of a task, or the steps that are still to be done."""

    task_id: str
    title: str | None = None
    steps: list[NewStep] | None = None


TaskUpdateResult: TypeAlias = Task
