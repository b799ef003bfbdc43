"""Types of the tool `closed`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ClosedArgs(ClosedModel):
    """Args of `closed`: A closed one."""


ClosedResult: TypeAlias = JsonValue
