"""Types of the tool `task_create`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import NewStep, Task


class TaskCreateArgs(ClosedModel):
    """Args of `task_create`: Create a task and its steps."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    steps: Annotated[list[NewStep], Field(min_length=1, max_length=100)]


TaskCreateResult: TypeAlias = Task
