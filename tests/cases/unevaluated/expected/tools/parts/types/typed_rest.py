"""Types of the tool `typed_rest`, in `parts`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class TypedRestArgs(OpenModel):
    """Args of `typed_rest`: What no part describes is a number."""

    kind: str | None = None


TypedRestResult: TypeAlias = JsonValue
