"""Types of the tool `several`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class SeveralArgs(ClosedModel):
    """Args of `several`: Several types."""


SeveralResult: TypeAlias = str | int | None
