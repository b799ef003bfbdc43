"""Idents of the tools of `shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.refund import RefundArgs, RefundResult

REFUND: Final[Ident[RefundArgs, RefundResult]] = Ident("shop.orders.refund")
"""Give the money back."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (REFUND,)
"""Every tool of this toolset."""
