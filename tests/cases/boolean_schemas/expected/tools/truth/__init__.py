"""`truth`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.anything_goes import AnythingGoesArgs as AnythingGoesArgs, AnythingGoesResult as AnythingGoesResult
    from .types.everywhere import EverywhereArgs as EverywhereArgs, EverywhereResult as EverywhereResult
    from .types.shared import Anything as Anything, Never as Never
    from .types.short import ShortArgs as ShortArgs, ShortResult as ShortResult
    from . import codecs as codecs
    from .calls import (
        new_anything_goes_call as new_anything_goes_call,
        new_everywhere_call as new_everywhere_call,
        new_short_call as new_short_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ANYTHING_GOES as ANYTHING_GOES, EVERYWHERE as EVERYWHERE, SHORT as SHORT
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ANYTHING_GOES": ".idents",
            "Anything": ".types.shared",
            "AnythingGoesArgs": ".types.anything_goes",
            "AnythingGoesResult": ".types.anything_goes",
            "EVERYWHERE": ".idents",
            "EverywhereArgs": ".types.everywhere",
            "EverywhereResult": ".types.everywhere",
            "Handlers": ".dispatch",
            "Never": ".types.shared",
            "SHORT": ".idents",
            "ShortArgs": ".types.short",
            "ShortResult": ".types.short",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_anything_goes_call": ".calls",
            "new_everywhere_call": ".calls",
            "new_registration": ".dispatch",
            "new_short_call": ".calls",
        },
    )
