"""Idents of the tools of `mcp.later`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.ping import PingArgs, PingResult

PING: Final[Ident[PingArgs, PingResult]] = Ident("mcp.later.ping")
"""Say hello."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (PING,)
"""Every tool of this toolset."""
