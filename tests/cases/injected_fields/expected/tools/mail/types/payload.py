"""Types of the tool `payload`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class PayloadArgs(OpenModel):
    """Args of `payload`: From the payload, though the args are open."""

    to: str


PayloadResult: TypeAlias = JsonValue
