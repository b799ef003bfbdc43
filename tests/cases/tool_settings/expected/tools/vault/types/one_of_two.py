"""Types of the tool `one_of_two`, in `vault`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class OneOfTwoArgs(OpenModel):
    """Args of `one_of_two`: A choice beside one that is there already."""

    a: str | None = None
    b: str | None = None
    c: str | None = None


OneOfTwoResult: TypeAlias = JsonValue
