"""Types of the tool `enums`, in `values`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


EnumsResult: TypeAlias = Literal["done", "failed"]


class EnumsArgs(ClosedModel):
    """Args of `enums`: Enumerations of every kind."""

    words: Literal["up", "down", "", 'it\'s "quoted"', "a\nb"] | None = None
    typed: Literal["a", "b"] | None = None
    numbers: Literal[1, 2, 3] | None = None
    floats: int | float | None = None
    whole_floats: Literal[1, 2] | None = None
    booleans: Literal[True] | None = None
    with_null: Literal["a"] | None = None
    typed_with_null: Literal["a"] | None = None
    mixed: JsonValue | None = None
    ones: JsonValue | None = None
    objects: JsonValue | None = None
    only_null: None = None
    narrowed: JsonValue | None = None
    listed: list[Literal["x", "y"]] | None = None
