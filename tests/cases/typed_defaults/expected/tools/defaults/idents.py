"""Idents of the tools of `defaults`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.draw import DrawArgs, DrawResult

DRAW: Final[Ident[DrawArgs, DrawResult]] = Ident("defaults.draw")
"""Draw something."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (DRAW,)
"""Every tool of this toolset."""
