"""Types of the tool `task_claim_step`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Step


class TaskClaimStepArgs(ClosedModel):
    """Args of `task_claim_step`: Claim a ready step, to work on it. One agent can."""

    task_id: str
    step_id: str


TaskClaimStepResult: TypeAlias = Step
