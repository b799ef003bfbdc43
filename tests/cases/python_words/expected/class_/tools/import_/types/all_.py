"""Types of the tool `all`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class AllArgs(ClosedModel):
    pass


AllResult: TypeAlias = str
