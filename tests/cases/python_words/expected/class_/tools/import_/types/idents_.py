"""Types of the tool `idents_`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class IdentsArgs(ClosedModel):
    idents: str
    codecs: str


IdentsResult: TypeAlias = JsonValue
