"""Types of the tool `arrays`, in `drafts.nineteen`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ArraysArgs(ClosedModel):
    """Args of `arrays`: Places and the rest."""

    pair: list[JsonValue]


ArraysResult: TypeAlias = JsonValue
