"""Types of the tool `only_then`, in `rules`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class OnlyThenArgs(ClosedModel):
    """Args of `only_then`: No else."""

    value: int | str


OnlyThenResult: TypeAlias = JsonValue
