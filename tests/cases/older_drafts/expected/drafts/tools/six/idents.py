"""Idents of the tools of `drafts.six`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("drafts.six.bounds")
"""An exclusive bound is a number."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (BOUNDS,)
"""Every tool of this toolset."""
