"""Types of the tool `types`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class TypesArgs(ClosedModel):
    """Args of `types`: A module of the toolset."""


TypesResult: TypeAlias = JsonValue
