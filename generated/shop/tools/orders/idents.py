"""Idents of the tools of `shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.find import FindArgs, FindResult
    from .types.refund import RefundArgs, RefundResult

FIND: Final[Ident[FindArgs, FindResult]] = Ident("shop.orders.find")
"""Find orders of a customer, newest first."""

REFUND: Final[Ident[RefundArgs, RefundResult]] = Ident("shop.orders.refund")
"""Refund an order, or a part of it."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    FIND,
    REFUND,
)
"""Every tool of this toolset."""
