"""Types of the tool `order_result`, in `names`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class OrderResultArgs(ClosedModel):
    """Args of `order_result`: And once more."""


class OrderResultResult(ClosedModel):
    """Result of `order_result`: And once more."""

    y: int
