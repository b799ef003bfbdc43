"""`defaults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.draw import DrawArgs as DrawArgs, DrawResult as DrawResult
    from .types.shared import Level as Level, Point as Point
    from . import codecs as codecs
    from .calls import new_draw_call as new_draw_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import DRAW as DRAW
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "DRAW": ".idents",
            "DrawArgs": ".types.draw",
            "DrawResult": ".types.draw",
            "Handlers": ".dispatch",
            "Level": ".types.shared",
            "Point": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_draw_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
