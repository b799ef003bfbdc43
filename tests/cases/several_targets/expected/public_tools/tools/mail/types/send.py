"""Types of the tool `send`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class SendArgs(ClosedModel):
    to: str


SendResult: TypeAlias = JsonValue
