"""Types of the tool `arrays`, in `drafts.nineteen`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel, OpenModel


class ArraysArgsTree(OpenModel):
    child: JsonValue | None = None


class ArraysArgs(ClosedModel):
    pair: list[JsonValue]
    tree: ArraysArgsTree | None = None


ArraysResult: TypeAlias = JsonValue
