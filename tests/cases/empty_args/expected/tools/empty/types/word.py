"""Types of the tool `word`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class WordArgs(OpenModel):
    pass


WordResult: TypeAlias = JsonValue
