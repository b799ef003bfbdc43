"""Idents of the tools of `shop.backend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.drop import DropArgs, DropResult

DROP: Final[Ident[DropArgs, DropResult]] = Ident("shop.backend.drop")
"""Drop an item."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (DROP,)
"""Every tool of this toolset."""
