"""Types of the tool `nobody`, in `vault`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class NobodyArgs(ClosedModel):
    pass


NobodyResult: TypeAlias = JsonValue
