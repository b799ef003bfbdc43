"""`shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs as BoundsArgs, BoundsResult as BoundsResult
    from .types.enum import EnumArgs as EnumArgs, EnumResult as EnumResult
    from .types.refused import RefusedArgs as RefusedArgs, RefusedResult as RefusedResult
    from .types.required import RequiredArgs as RequiredArgs, RequiredResult as RequiredResult
    from .types.shared import Code as Code
    from .types.sizes import SizesArgs as SizesArgs, SizesResult as SizesResult
    from . import codecs as codecs
    from .calls import (
        new_bounds_call as new_bounds_call,
        new_enum_call as new_enum_call,
        new_refused_call as new_refused_call,
        new_required_call as new_required_call,
        new_sizes_call as new_sizes_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BOUNDS as BOUNDS, ENUM as ENUM, REFUSED as REFUSED, REQUIRED as REQUIRED, SIZES as SIZES
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BOUNDS": ".idents",
            "BoundsArgs": ".types.bounds",
            "BoundsResult": ".types.bounds",
            "Code": ".types.shared",
            "ENUM": ".idents",
            "EnumArgs": ".types.enum",
            "EnumResult": ".types.enum",
            "Handlers": ".dispatch",
            "REFUSED": ".idents",
            "REQUIRED": ".idents",
            "RefusedArgs": ".types.refused",
            "RefusedResult": ".types.refused",
            "RequiredArgs": ".types.required",
            "RequiredResult": ".types.required",
            "SIZES": ".idents",
            "SizesArgs": ".types.sizes",
            "SizesResult": ".types.sizes",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_bounds_call": ".calls",
            "new_enum_call": ".calls",
            "new_refused_call": ".calls",
            "new_registration": ".dispatch",
            "new_required_call": ".calls",
            "new_sizes_call": ".calls",
        },
    )
