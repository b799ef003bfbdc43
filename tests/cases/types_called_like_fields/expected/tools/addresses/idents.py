"""Idents of the tools of `addresses`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.move import MoveArgs, MoveResult

MOVE: Final[Ident[MoveArgs, MoveResult]] = Ident("addresses.move")
"""Fields and types of the same names."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (MOVE,)
"""Every tool of this toolset."""
