"""`shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.alone import AloneArgs as AloneArgs, AloneResult as AloneResult
    from .types.inside import InsideArgs as InsideArgs, InsideArgsB as InsideArgsB, InsideResult as InsideResult
    from .types.meant import MeantArgs as MeantArgs, MeantResult as MeantResult
    from .types.twice import TwiceArgs as TwiceArgs, TwiceResult as TwiceResult
    from . import codecs as codecs
    from .calls import (
        new_alone_call as new_alone_call,
        new_inside_call as new_inside_call,
        new_meant_call as new_meant_call,
        new_twice_call as new_twice_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ALONE as ALONE, INSIDE as INSIDE, MEANT as MEANT, TWICE as TWICE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ALONE": ".idents",
            "AloneArgs": ".types.alone",
            "AloneResult": ".types.alone",
            "Handlers": ".dispatch",
            "INSIDE": ".idents",
            "InsideArgs": ".types.inside",
            "InsideArgsB": ".types.inside",
            "InsideResult": ".types.inside",
            "MEANT": ".idents",
            "MeantArgs": ".types.meant",
            "MeantResult": ".types.meant",
            "TWICE": ".idents",
            "TwiceArgs": ".types.twice",
            "TwiceResult": ".types.twice",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_alone_call": ".calls",
            "new_inside_call": ".calls",
            "new_meant_call": ".calls",
            "new_registration": ".dispatch",
            "new_twice_call": ".calls",
        },
    )
