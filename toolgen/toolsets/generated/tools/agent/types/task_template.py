"""Types of the tool `task_template`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class TaskTemplateArgs(ClosedModel):
    """Args of `task_template`: Get the template of a task."""

    kind: str | None = None


TaskTemplateResult: TypeAlias = str
