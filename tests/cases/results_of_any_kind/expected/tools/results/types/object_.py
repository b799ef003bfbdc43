"""Types of the tool `object`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ObjectArgs(ClosedModel):
    """Args of `object`: An open object."""


ObjectResult: TypeAlias = dict[str, JsonValue]
