"""Types of the tool `source_read`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class SourceReadArgs(ClosedModel):
    """Args of `source_read`: Read one document of the product's own docs and source."""

    path: str


SourceReadResult: TypeAlias = str
