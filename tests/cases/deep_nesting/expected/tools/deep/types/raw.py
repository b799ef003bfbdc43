"""Types of the tool `raw`, in `deep`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class RawArgsABItemCValue(OpenModel):
    d: list[int]


class RawArgsABItem(OpenModel):
    c: dict[str, RawArgsABItemCValue] | None = None


class RawArgsA(OpenModel):
    b: list[RawArgsABItem] | None = None


class RawArgs(OpenModel):
    """Args of `raw`: In JSON Schema."""

    a: RawArgsA | None = None


RawResult: TypeAlias = JsonValue
