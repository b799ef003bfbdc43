"""Types of the tool `task_fail`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskFailArgs(ClosedModel):
    """Args of `task_fail`: Close a task as failed, whatever its steps are."""

    task_id: str
    reason: Annotated[str, Field(min_length=1, max_length=4000)]


TaskFailResult: TypeAlias = Task
