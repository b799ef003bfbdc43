"""Types of the tool `methods`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class MethodsArgs(ClosedModel):
    """Args of `methods`: A module of the types."""


MethodsResult: TypeAlias = JsonValue
