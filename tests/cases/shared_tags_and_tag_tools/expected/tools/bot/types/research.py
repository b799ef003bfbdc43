"""Types of the tool `research`, in `bot`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ResearchArgs(ClosedModel):
    """Args of `research`: Look something up."""

    raw_arg: str


ResearchResult: TypeAlias = JsonValue
