"""Types of the tool `type`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class TypeArgs(ClosedModel):
    """Args of `type`: A soft keyword and a builtin."""


TypeResult: TypeAlias = str
