"""Types of the tool `status`, in `shop.orders`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class StatusArgs(ClosedModel):
    """Args of `status`: Ask for the status."""

    order_id: str


StatusResult: TypeAlias = str
