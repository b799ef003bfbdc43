"""Types of the methods that tools are bound to, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class SendPayload(OpenModel):
    to: str
    account: str


SendMethodResult: TypeAlias = JsonValue
