"""Types of the tool `plan_template`, in `agent`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import TemplateKind


class PlanTemplateArgs(ClosedModel):
    """Args of `plan_template`: Get the template of a plan, as Markdown to fill in."""

    kind: TemplateKind | None = None


PlanTemplateResult: TypeAlias = str
