"""Types of the tool `nothing`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class NothingArgs(ClosedModel):
    """Args of `nothing`: Nothing."""


NothingResult: TypeAlias = None
