"""Types of the tool `executor`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ExecutorArgs(ClosedModel):
    """Args of `executor`: A function of the toolset."""

    executor: str


ExecutorResult: TypeAlias = JsonValue
