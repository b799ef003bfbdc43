"""Idents of the tools of `drafts.four`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("drafts.four.bounds")
"""In draft-04 an exclusive bound is a truth value beside the bound."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (BOUNDS,)
"""Every tool of this toolset."""
