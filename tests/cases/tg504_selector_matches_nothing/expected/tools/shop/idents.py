"""Idents of the tools of `shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.add import AddArgs, AddResult

ADD: Final[Ident[AddArgs, AddResult]] = Ident("shop.add")
"""Add."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (ADD,)
"""Every tool of this toolset."""
