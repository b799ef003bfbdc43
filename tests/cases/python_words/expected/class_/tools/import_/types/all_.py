"""Types of the tool `all`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class AllArgs(ClosedModel):
    """Args of `all`: A builtin that would hide the list of all tools."""


AllResult: TypeAlias = str
