"""Types of the tool `optional`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class OptionalArgs(ClosedModel):
    text: str | None = None


class OptionalResult(ClosedModel):
    value: str
