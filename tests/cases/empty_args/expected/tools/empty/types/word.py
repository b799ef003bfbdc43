"""Types of the tool `word`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class WordArgs(OpenModel):
    """Args of `word`: An open object by its word."""


WordResult: TypeAlias = JsonValue
