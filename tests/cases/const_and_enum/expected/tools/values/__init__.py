"""`values`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.consts import ConstsArgs as ConstsArgs, ConstsResult as ConstsResult
    from .types.enums import EnumsArgs as EnumsArgs, EnumsResult as EnumsResult
    from . import codecs as codecs
    from .calls import new_consts_call as new_consts_call, new_enums_call as new_enums_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CONSTS as CONSTS, ENUMS as ENUMS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CONSTS": ".idents",
            "ConstsArgs": ".types.consts",
            "ConstsResult": ".types.consts",
            "ENUMS": ".idents",
            "EnumsArgs": ".types.enums",
            "EnumsResult": ".types.enums",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_consts_call": ".calls",
            "new_enums_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
