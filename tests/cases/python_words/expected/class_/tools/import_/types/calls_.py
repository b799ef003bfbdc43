"""Types of the tool `calls_`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class CallsArgs(ClosedModel):
    build_call: str


CallsResult: TypeAlias = JsonValue
