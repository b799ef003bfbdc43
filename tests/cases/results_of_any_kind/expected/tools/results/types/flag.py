"""Types of the tool `flag`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class FlagArgs(ClosedModel):
    """Args of `flag`: A truth value."""


FlagResult: TypeAlias = bool
