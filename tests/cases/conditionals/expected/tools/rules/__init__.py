"""`rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.alone import AloneArgs as AloneArgs, AloneResult as AloneResult
    from .types.chained import ChainedArgs as ChainedArgs, ChainedResult as ChainedResult
    from .types.only_else import OnlyElseArgs as OnlyElseArgs, OnlyElseResult as OnlyElseResult
    from .types.only_then import OnlyThenArgs as OnlyThenArgs, OnlyThenResult as OnlyThenResult
    from .types.ship import ShipArgs as ShipArgs, ShipResult as ShipResult
    from . import codecs as codecs
    from .calls import (
        new_alone_call as new_alone_call,
        new_chained_call as new_chained_call,
        new_only_else_call as new_only_else_call,
        new_only_then_call as new_only_then_call,
        new_ship_call as new_ship_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ALONE as ALONE, CHAINED as CHAINED, ONLY_ELSE as ONLY_ELSE, ONLY_THEN as ONLY_THEN, SHIP as SHIP
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ALONE": ".idents",
            "AloneArgs": ".types.alone",
            "AloneResult": ".types.alone",
            "CHAINED": ".idents",
            "ChainedArgs": ".types.chained",
            "ChainedResult": ".types.chained",
            "Handlers": ".dispatch",
            "ONLY_ELSE": ".idents",
            "ONLY_THEN": ".idents",
            "OnlyElseArgs": ".types.only_else",
            "OnlyElseResult": ".types.only_else",
            "OnlyThenArgs": ".types.only_then",
            "OnlyThenResult": ".types.only_then",
            "SHIP": ".idents",
            "ShipArgs": ".types.ship",
            "ShipResult": ".types.ship",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_alone_call": ".calls",
            "new_chained_call": ".calls",
            "new_only_else_call": ".calls",
            "new_only_then_call": ".calls",
            "new_registration": ".dispatch",
            "new_ship_call": ".calls",
        },
    )
