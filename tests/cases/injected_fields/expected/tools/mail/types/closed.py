"""Types of the tool `closed`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ClosedArgs(ClosedModel):
    """Args of `closed`: From closed args."""

    to: str
    account: str | None = None


ClosedResult: TypeAlias = JsonValue
