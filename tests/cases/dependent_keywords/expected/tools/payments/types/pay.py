"""Types of the tool `pay`, in `payments`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class PayArgs(OpenModel):
    """Args of `pay`: A card needs its code; an invoice needs an address of at least three characters."""

    amount: int | float
    card: str | None = None
    cvc: str | None = None
    invoice: bool | None = None
    address: str | None = None


PayResult: TypeAlias = JsonValue
