"""Types of the tool `task_create`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.models import ClosedModel

from .shared import Task


class TaskCreateArgsStepsItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    needs: list[str]


class TaskCreateArgs(ClosedModel):
    """Args of `task_create`: Create a task and its steps."""

    title: str
    steps: list[TaskCreateArgsStepsItem]


TaskCreateResult: TypeAlias = Task
