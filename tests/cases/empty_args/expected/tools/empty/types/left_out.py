"""Types of the tool `left_out`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class LeftOutArgs(ClosedModel):
    """Args of `left_out`: Nothing written."""


LeftOutResult: TypeAlias = JsonValue
