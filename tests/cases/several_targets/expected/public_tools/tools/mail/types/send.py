"""Types of the tool `send`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SendArgs(ClosedModel):
    """Args of `send`: Send mail."""

    to: str


SendResult: TypeAlias = JsonValue
