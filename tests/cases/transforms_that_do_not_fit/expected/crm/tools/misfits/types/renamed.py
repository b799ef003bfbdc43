"""Types of the tool `renamed`, in `crm.misfits`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class RenamedArgs(ClosedModel):
    """Args of `renamed`: A required field has no counterpart."""

    query: str


RenamedResult: TypeAlias = list[str]
