"""Types of the tool `handlers`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class HandlersArgs(ClosedModel):
    """Args of `handlers`: A class of the toolset."""


HandlersResult: TypeAlias = JsonValue
