"""Types of the tool `several`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class SeveralArgs(ClosedModel):
    pass


SeveralResult: TypeAlias = str | int | None
