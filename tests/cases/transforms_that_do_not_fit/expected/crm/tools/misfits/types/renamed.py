"""Types of the tool `renamed`, in `crm.misfits`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class RenamedArgs(ClosedModel):
    query: str


RenamedResult: TypeAlias = list[str]
