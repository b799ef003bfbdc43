"""Types of the tool `task_create`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import NewStep, Task


class TaskCreateArgs(ClosedModel):
    """Args of `task_create`: Create a task and its steps."""

    title: str
    steps: list[NewStep]


TaskCreateResult: TypeAlias = Task
