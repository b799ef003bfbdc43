"""Types of the tool `read`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class ReadArgs(ClosedModel):
    """Args of `read`: Read a file."""

    path: str


ReadResult: TypeAlias = str
