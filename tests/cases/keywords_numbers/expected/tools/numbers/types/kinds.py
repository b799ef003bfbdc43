"""Types of the tool `kinds`, in `numbers`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class KindsArgs(ClosedModel):
    """Args of `kinds`: An integer may be written 1.0; a truth value is no number."""

    whole: int | None = None
    real: int | float | None = None
    wholes: list[int] | None = None
    either: int | bool | None = None
    both: int | float | None = None
    scale: int | float = 1
    ratio: int | float = 0.5


KindsResult: TypeAlias = int | float
