"""Types of the tool `plan_template`, in `agent`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class PlanTemplateArgs(ClosedModel):
    """Args of `plan_template`: Get the template of a plan, as Markdown to fill in."""

    kind: Literal["general", "change", "bug", "research"] | None = None


PlanTemplateResult: TypeAlias = str
