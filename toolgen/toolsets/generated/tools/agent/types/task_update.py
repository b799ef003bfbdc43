"""Types of the tool `task_update`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import NewStep, Task


class TaskUpdateArgs(ClosedModel):
    """Args of `task_update`: Change the title of a task, or the steps that are still to be done."""

    task_id: str
    title: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    steps: Annotated[list[NewStep], Field(max_length=100)] | None = None


TaskUpdateResult: TypeAlias = Task
