"""Idents of the tools of `mcp.local-files`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.list_ import ListArgs, ListResult

LIST: Final[Ident[ListArgs, ListResult]] = Ident("mcp.local-files.list")
"""List files."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (LIST,)
"""Every tool of this toolset."""
