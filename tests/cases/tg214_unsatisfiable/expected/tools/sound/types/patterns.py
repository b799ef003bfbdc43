"""Types of the tool `patterns`, in `sound`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class PatternsArgs(OpenModel):
    """Args of `patterns`: A field that is described by a pattern."""


PatternsResult: TypeAlias = JsonValue
