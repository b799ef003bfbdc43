"""Types of the tool `dispatch`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DispatchArgs(ClosedModel):
    """Args of `dispatch`: A module of the toolset."""


DispatchResult: TypeAlias = JsonValue
