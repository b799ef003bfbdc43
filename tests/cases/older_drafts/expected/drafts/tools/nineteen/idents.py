"""Idents of the tools of `drafts.nineteen`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.tree import TreeArgs, TreeResult

ARRAYS: Final[Ident[ArraysArgs, ArraysResult]] = Ident("drafts.nineteen.arrays")
"""Places and the rest."""

TREE: Final[Ident[TreeArgs, TreeResult]] = Ident("drafts.nineteen.tree")
"""A schema in itself, by the name that it has wherever it stands."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ARRAYS,
    TREE,
)
"""Every tool of this toolset."""
