"""Idents of the tools of `mcp.events`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.wait import WaitArgs, WaitResult

WAIT: Final[Ident[WaitArgs, WaitResult]] = Ident("mcp.events.wait")
"""Wait for an event."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (WAIT,)
"""Every tool of this toolset."""
