"""Types of the tool `task_cancel`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskCancelArgs(ClosedModel):
    """Args of `task_cancel`: Close a task that is no longer wanted."""

    task_id: str
    reason: Annotated[str, Field(max_length=4000)] | None = None


TaskCancelResult: TypeAlias = Task
