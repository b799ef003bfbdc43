"""Types of the tool `type_checking`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class TypeCheckingArgs(ClosedModel):
    """Args of `type_checking`: A constant of typing."""


TypeCheckingResult: TypeAlias = str
