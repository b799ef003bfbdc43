"""Types of the tool `dispatch_worker`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Child


class DispatchWorkerArgs(ClosedModel):
    """Args of `dispatch_worker`: Give a step to a worker and wait for its result."""

    agent_definition_id: str = "default_worker"
    task_id: str
    step_id: str
    allowed_tools: list[str] | None = None


DispatchWorkerResult: TypeAlias = Child
