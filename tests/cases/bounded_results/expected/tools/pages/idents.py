"""Idents of the tools of `pages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.free import FreeArgs, FreeResult
    from .types.list_ import ListArgs, ListResult

FREE: Final[Ident[FreeArgs, FreeResult]] = Ident("pages.free")
"""A result without named fields may have any."""

LIST: Final[Ident[ListArgs, ListResult]] = Ident("pages.list")
"""List rows, a page at a time."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    FREE,
    LIST,
)
"""Every tool of this toolset."""
