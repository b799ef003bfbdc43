"""Types of the tool `forward`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ForwardArgs(ClosedModel):
    """Args of `forward`: Forward mail."""

    to: str
    why: str | None = None


ForwardResult: TypeAlias = JsonValue
