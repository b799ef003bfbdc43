"""Types of the tool `again`, in `yaml`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class AgainArgs(ClosedModel):
    """Args of `again`: Block text"""

    limit: int = 20
    ratio: int | float | None = None


AgainResult: TypeAlias = Literal["yes", "no", "on", "off", "2024-01-01", "1", "12:30", "1_000"]
