"""Types of the tool `count`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class CountArgs(ClosedModel):
    """Args of `count`: A count."""


CountResult: TypeAlias = int
