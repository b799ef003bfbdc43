"""Idents of the tools of `shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.alone import AloneArgs, AloneResult
    from .types.inside import InsideArgs, InsideResult
    from .types.meant import MeantArgs, MeantResult
    from .types.twice import TwiceArgs, TwiceResult

ALONE: Final[Ident[AloneArgs, AloneResult]] = Ident("shop.alone")
"""A mark alone."""

INSIDE: Final[Ident[InsideArgs, InsideResult]] = Ident("shop.inside")
"""Marks inside JSON Schema."""

MEANT: Final[Ident[MeantArgs, MeantResult]] = Ident("shop.meant")
"""Names that end in a mark."""

TWICE: Final[Ident[TwiceArgs, TwiceResult]] = Ident("shop.twice")
"""Two marks."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ALONE,
    INSIDE,
    MEANT,
    TWICE,
)
"""Every tool of this toolset."""
