"""Idents of the tools of `core`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.everything import EverythingArgs, EverythingResult

EVERYTHING: Final[Ident[EverythingArgs, EverythingResult]] = Ident("core.everything")
"""Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (EVERYTHING,)
"""Every tool of this toolset."""
