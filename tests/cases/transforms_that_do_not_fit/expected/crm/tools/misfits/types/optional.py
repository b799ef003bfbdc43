"""Types of the tool `optional`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class OptionalArgs(ClosedModel):
    """Args of `optional`: A field that may be absent on one side."""

    text: str | None = None


class OptionalResult(ClosedModel):
    """Result of `optional`: A field that may be absent on one side."""

    value: str
