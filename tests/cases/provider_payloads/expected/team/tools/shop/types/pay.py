"""Types of the tool `pay`, in `team.shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PayArgs(ClosedModel):
    """Args of `pay`: Pay, by exactly one means."""

    card: str | None = None
    voucher: str | None = None


PayResult: TypeAlias = JsonValue
