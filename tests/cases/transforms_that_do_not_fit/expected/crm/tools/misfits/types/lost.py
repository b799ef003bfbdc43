"""Types of the tool `lost`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class LostArgs(ClosedModel):
    text: str
    more: str


class LostResult(ClosedModel):
    a: str | None = None
