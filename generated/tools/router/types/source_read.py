"""Types of the tool `source_read`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class SourceReadArgs(ClosedModel):
    path: str


SourceReadResult: TypeAlias = str
