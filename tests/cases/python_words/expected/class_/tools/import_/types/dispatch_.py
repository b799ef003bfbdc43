"""Types of the tool `dispatch`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class DispatchArgs(ClosedModel):
    pass


DispatchResult: TypeAlias = JsonValue
