"""`deep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.raw import (
        RawArgs as RawArgs,
        RawArgsA as RawArgsA,
        RawArgsABItem as RawArgsABItem,
        RawArgsABItemCValue as RawArgsABItemCValue,
        RawResult as RawResult,
    )
    from .types.short import (
        ShortArgs as ShortArgs,
        ShortArgsA as ShortArgsA,
        ShortArgsABItem as ShortArgsABItem,
        ShortArgsABItemC as ShortArgsABItemC,
        ShortArgsABItemCDItemItem as ShortArgsABItemCDItemItem,
        ShortArgsABItemCDItemItemE as ShortArgsABItemCDItemItemE,
        ShortArgsABItemCDItemItemEF as ShortArgsABItemCDItemItemEF,
        ShortArgsABItemCDItemItemEFG as ShortArgsABItemCDItemItemEFG,
        ShortResult as ShortResult,
    )
    from . import codecs as codecs
    from .calls import new_raw_call as new_raw_call, new_short_call as new_short_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import RAW as RAW, SHORT as SHORT
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "RAW": ".idents",
            "RawArgs": ".types.raw",
            "RawArgsA": ".types.raw",
            "RawArgsABItem": ".types.raw",
            "RawArgsABItemCValue": ".types.raw",
            "RawResult": ".types.raw",
            "SHORT": ".idents",
            "ShortArgs": ".types.short",
            "ShortArgsA": ".types.short",
            "ShortArgsABItem": ".types.short",
            "ShortArgsABItemC": ".types.short",
            "ShortArgsABItemCDItemItem": ".types.short",
            "ShortArgsABItemCDItemItemE": ".types.short",
            "ShortArgsABItemCDItemItemEF": ".types.short",
            "ShortArgsABItemCDItemItemEFG": ".types.short",
            "ShortResult": ".types.short",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_raw_call": ".calls",
            "new_registration": ".dispatch",
            "new_short_call": ".calls",
        },
    )
