"""Idents of the tools of `rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.alone import AloneArgs, AloneResult
    from .types.chained import ChainedArgs, ChainedResult
    from .types.only_else import OnlyElseArgs, OnlyElseResult
    from .types.only_then import OnlyThenArgs, OnlyThenResult
    from .types.ship import ShipArgs, ShipResult

ALONE: Final[Ident[AloneArgs, AloneResult]] = Ident("rules.alone")
"""An if by itself decides nothing, and neither does a then."""

CHAINED: Final[Ident[ChainedArgs, ChainedResult]] = Ident("rules.chained")
"""One condition in another."""

ONLY_ELSE: Final[Ident[OnlyElseArgs, OnlyElseResult]] = Ident("rules.only_else")
"""No then."""

ONLY_THEN: Final[Ident[OnlyThenArgs, OnlyThenResult]] = Ident("rules.only_then")
"""No else."""

SHIP: Final[Ident[ShipArgs, ShipResult]] = Ident("rules.ship")
"""Abroad needs a country, at home a postcode."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ALONE,
    CHAINED,
    ONLY_ELSE,
    ONLY_THEN,
    SHIP,
)
"""Every tool of this toolset."""
