"""Types of the tool `task_template`, in `agent`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import NewStep, TemplateKind


class TaskTemplateArgs(ClosedModel):
    """Args of `task_template`: Get the template of a task, as arguments for task_create to fill in."""

    kind: TemplateKind | None = None


class TaskTemplateResult(ClosedModel):
    """Result of `task_template`: Get the template of a task, as arguments for task_create to fill in."""

    title: str
    steps: list[NewStep]
