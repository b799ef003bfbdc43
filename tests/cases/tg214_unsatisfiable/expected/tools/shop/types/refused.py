"""Types of the tool `refused`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class RefusedArgs(OpenModel):
    """Args of `refused`: A field that is required and refused."""

    a: JsonValue


RefusedResult: TypeAlias = JsonValue
