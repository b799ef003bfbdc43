"""Types of the tool `nobody`, in `vault`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NobodyArgs(ClosedModel):
    """Args of `nobody`: For no role at all."""


NobodyResult: TypeAlias = JsonValue
