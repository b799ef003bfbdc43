"""Idents of the tools of `drafts.nineteen`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult

ARRAYS: Final[Ident[ArraysArgs, ArraysResult]] = Ident("drafts.nineteen.arrays")
"""Places and the rest."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (ARRAYS,)
"""Every tool of this toolset."""
