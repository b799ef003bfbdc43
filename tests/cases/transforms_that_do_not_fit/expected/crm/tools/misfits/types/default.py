"""Types of the tool `default`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel, OpenModel


class DefaultArgs(ClosedModel):
    size: int | None = None


class DefaultResult(OpenModel):
    a: str | None = None
    b: str | None = None
    c: int | None = None
