"""Idents of the tools of `shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.list_ import ListArgs, ListResult
    from .types.place import PlaceArgs, PlaceResult

LIST: Final[Ident[ListArgs, ListResult]] = Ident("shop.orders.list")
"""List orders."""

PLACE: Final[Ident[PlaceArgs, PlaceResult]] = Ident("shop.orders.place")
"""Place an order."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    LIST,
    PLACE,
)
"""Every tool of this toolset."""
