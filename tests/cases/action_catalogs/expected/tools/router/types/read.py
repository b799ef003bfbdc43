"""Types of the tool `read`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class ReadArgs(ClosedModel):
    path: str


ReadResult: TypeAlias = str
