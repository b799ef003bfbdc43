"""Types of the tool `task_complete`, in `agent`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Task


class TaskCompleteArgs(ClosedModel):
    """Args of `task_complete`: Close a task whose steps are all done."""

    task_id: str
    summary: Annotated[str, Field(min_length=1, max_length=4000)]
    """What was achieved."""


TaskCompleteResult: TypeAlias = Task
