"""Types of the tool `transforms`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class TransformsArgs(ClosedModel):
    """Args of `transforms`: A module of the toolset."""


TransformsResult: TypeAlias = JsonValue
