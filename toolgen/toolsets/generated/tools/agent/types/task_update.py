"""Types of the tool `task_update`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.models import ClosedModel

from .shared import Task


class TaskUpdateArgsStepsItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    needs: list[str]


class TaskUpdateArgs(ClosedModel):
    """Args of `task_update`: Change the content of a task."""

    task_id: str
    title: str | None = None
    steps: list[TaskUpdateArgsStepsItem] | None = None


TaskUpdateResult: TypeAlias = Task
