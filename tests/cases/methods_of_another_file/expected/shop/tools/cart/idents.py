"""Idents of the tools of `shop.cart`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.add import AddArgs, AddResult

ADD: Final[Ident[AddArgs, AddResult]] = Ident("shop.cart.add")
"""Add an item."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (ADD,)
"""Every tool of this toolset."""
