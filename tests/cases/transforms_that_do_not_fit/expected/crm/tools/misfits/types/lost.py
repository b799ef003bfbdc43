"""Types of the tool `lost`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class LostArgs(ClosedModel):
    """Args of `lost`: A field would be lost."""

    text: str
    more: str


class LostResult(ClosedModel):
    """Result of `lost`: A field would be lost."""

    a: str | None = None
