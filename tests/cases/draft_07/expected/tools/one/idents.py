"""Idents of the tools of `one`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.old import OldArgs, OldResult

OLD: Final[Ident[OldArgs, OldResult]] = Ident("one.old")
"""The older draft."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (OLD,)
"""Every tool of this toolset."""
