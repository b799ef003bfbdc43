"""Idents of the tools of `shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.refund import RefundArgs, RefundResult
    from .types.status import StatusArgs, StatusResult

REFUND: Final[Ident[RefundArgs, RefundResult]] = Ident("shop.orders.refund")
"""Give the money back."""

STATUS: Final[Ident[StatusArgs, StatusResult]] = Ident("shop.orders.status")
"""Ask for the status."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    REFUND,
    STATUS,
)
"""Every tool of this toolset."""
