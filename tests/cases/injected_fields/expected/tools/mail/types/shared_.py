"""Types of the tool `shared`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SharedArgs(ClosedModel):
    """Args of `shared`: From a type that others use as it is."""

    to: str
    account: str | None = None
    text: str | None = None


SharedResult: TypeAlias = JsonValue
