"""Types of the tool `bounds`, in `text`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgsDeepInner(ClosedModel):
    codes: list[Annotated[str, Field(min_length=1)]]


class BoundsArgsDeep(ClosedModel):
    inner: BoundsArgsDeepInner


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Length and pattern."""

    short: Annotated[str, Field(max_length=3)] | None = None
    long: Annotated[str, Field(min_length=2)] | None = None
    exact: Annotated[str, Field(min_length=2, max_length=2)] | None = None
    code: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]+$")] | None = None
    has_digit: Annotated[str, Field(pattern="[0-9]")] | None = None
    escaped: str | None = None
    codes: list[Annotated[str, Field(pattern="^a")]] | None = None
    deep: BoundsArgsDeep | None = None


BoundsResult: TypeAlias = JsonValue
