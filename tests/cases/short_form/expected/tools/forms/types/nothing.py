"""Types of the tool `nothing`, in `forms`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NothingArgs(ClosedModel):
    """Args of `nothing`: No args at all, and any result."""


NothingResult: TypeAlias = JsonValue
