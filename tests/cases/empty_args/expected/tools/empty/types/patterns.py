"""Types of the tool `patterns`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class PatternsArgs(OpenModel):
    """Args of `patterns`: Keys by pattern."""


PatternsResult: TypeAlias = JsonValue
