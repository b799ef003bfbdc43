"""Types of the tool `research`, in `bot`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ResearchArgs(ClosedModel):
    """Args of `research`: Search X for recent posts on a topic. Results sent back to chat."""

    raw_arg: str


ResearchResult: TypeAlias = JsonValue
