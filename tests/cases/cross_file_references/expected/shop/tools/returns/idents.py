"""Idents of the tools of `shop.returns`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.accept import AcceptArgs, AcceptResult

ACCEPT: Final[Ident[AcceptArgs, AcceptResult]] = Ident("shop.returns.accept")
"""Take an order back."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (ACCEPT,)
"""Every tool of this toolset."""
