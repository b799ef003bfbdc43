"""Types of the tool `other_type`, in `crm.misfits`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class OtherTypeArgs(ClosedModel):
    """Args of `other_type`: A field of another type."""

    text: str


OtherTypeResult: TypeAlias = str
