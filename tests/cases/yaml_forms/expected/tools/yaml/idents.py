"""Idents of the tools of `yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.again import AgainArgs, AgainResult
    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.folded import FoldedArgs, FoldedResult

AGAIN: Final[Ident[AgainArgs, AgainResult]] = Ident("yaml.again")
"""Block text"""

ANCHORS: Final[Ident[AnchorsArgs, AnchorsResult]] = Ident("yaml.anchors")
"""Block text"""

FOLDED: Final[Ident[FoldedArgs, FoldedResult]] = Ident("yaml.folded")
"""One line of text."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    AGAIN,
    ANCHORS,
    FOLDED,
)
"""Every tool of this toolset."""
