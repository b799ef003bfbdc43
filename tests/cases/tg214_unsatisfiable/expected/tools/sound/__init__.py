"""`sound`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs as BoundsArgs, BoundsResult as BoundsResult
    from .types.forbidden import ForbiddenArgs as ForbiddenArgs, ForbiddenResult as ForbiddenResult
    from .types.open_ import OpenArgs as OpenArgs, OpenResult as OpenResult
    from .types.patterns import PatternsArgs as PatternsArgs, PatternsResult as PatternsResult
    from . import codecs as codecs
    from .calls import (
        new_bounds_call as new_bounds_call,
        new_forbidden_call as new_forbidden_call,
        new_open_call as new_open_call,
        new_patterns_call as new_patterns_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BOUNDS as BOUNDS, FORBIDDEN as FORBIDDEN, OPEN as OPEN, PATTERNS as PATTERNS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BOUNDS": ".idents",
            "BoundsArgs": ".types.bounds",
            "BoundsResult": ".types.bounds",
            "FORBIDDEN": ".idents",
            "ForbiddenArgs": ".types.forbidden",
            "ForbiddenResult": ".types.forbidden",
            "Handlers": ".dispatch",
            "OPEN": ".idents",
            "OpenArgs": ".types.open_",
            "OpenResult": ".types.open_",
            "PATTERNS": ".idents",
            "PatternsArgs": ".types.patterns",
            "PatternsResult": ".types.patterns",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_bounds_call": ".calls",
            "new_forbidden_call": ".calls",
            "new_open_call": ".calls",
            "new_patterns_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
