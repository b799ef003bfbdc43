"""Types of the tool `codecs_`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class CodecsArgs(ClosedModel):
    codecs: str


CodecsResult: TypeAlias = JsonValue
