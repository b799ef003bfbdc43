"""Idents of the tools of `sound`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.forbidden import ForbiddenArgs, ForbiddenResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.patterns import PatternsArgs, PatternsResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("sound.bounds")
"""One value."""

FORBIDDEN: Final[Ident[ForbiddenArgs, ForbiddenResult]] = Ident("sound.forbidden")
"""Never both fields."""

OPEN: Final[Ident[OpenArgs, OpenResult]] = Ident("sound.open")
"""A field that is required and not described."""

PATTERNS: Final[Ident[PatternsArgs, PatternsResult]] = Ident("sound.patterns")
"""A field that is described by a pattern."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    BOUNDS,
    FORBIDDEN,
    OPEN,
    PATTERNS,
)
"""Every tool of this toolset."""
