"""Idents of the tools of `tickets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.close import CloseArgs, CloseResult

CLOSE: Final[Ident[CloseArgs, CloseResult]] = Ident("tickets.close")
"""Close a ticket."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (CLOSE,)
"""Every tool of this toolset."""
