"""Types of the tool `nested`, in `choices`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NestedArgs(ClosedModel):
    """Args of `nested`: Combinators in combinators."""

    deep: JsonValue


NestedResult: TypeAlias = JsonValue
