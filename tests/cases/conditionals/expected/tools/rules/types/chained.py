"""Types of the tool `chained`, in `rules`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class ChainedArgs(OpenModel):
    """Args of `chained`: One condition in another."""

    kind: Literal["a", "b", "c"] | None = None
    x: JsonValue | None = None


ChainedResult: TypeAlias = JsonValue
