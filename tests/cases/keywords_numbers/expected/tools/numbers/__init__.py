"""`numbers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs as BoundsArgs, BoundsResult as BoundsResult
    from .types.kinds import KindsArgs as KindsArgs, KindsResult as KindsResult
    from .types.multiples import MultiplesArgs as MultiplesArgs, MultiplesResult as MultiplesResult
    from . import codecs as codecs
    from .calls import (
        new_bounds_call as new_bounds_call,
        new_kinds_call as new_kinds_call,
        new_multiples_call as new_multiples_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BOUNDS as BOUNDS, KINDS as KINDS, MULTIPLES as MULTIPLES
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BOUNDS": ".idents",
            "BoundsArgs": ".types.bounds",
            "BoundsResult": ".types.bounds",
            "Handlers": ".dispatch",
            "KINDS": ".idents",
            "KindsArgs": ".types.kinds",
            "KindsResult": ".types.kinds",
            "MULTIPLES": ".idents",
            "MultiplesArgs": ".types.multiples",
            "MultiplesResult": ".types.multiples",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_bounds_call": ".calls",
            "new_kinds_call": ".calls",
            "new_multiples_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
