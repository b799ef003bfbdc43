"""Types of the tool `map`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class MapArgs(OpenModel):
    """Args of `map`: Any keys of one type."""


MapResult: TypeAlias = JsonValue
