"""Types of the tool `bounds`, in `text`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgsDeepInner(ClosedModel):
    codes: list[str]


class BoundsArgsDeep(ClosedModel):
    inner: BoundsArgsDeepInner


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Length and pattern."""

    short: str | None = None
    long: str | None = None
    exact: str | None = None
    code: str | None = None
    has_digit: str | None = None
    escaped: str | None = None
    codes: list[str] | None = None
    deep: BoundsArgsDeep | None = None


BoundsResult: TypeAlias = JsonValue
