"""`yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.again import AgainArgs as AgainArgs, AgainResult as AgainResult
    from .types.anchors import AnchorsArgs as AnchorsArgs, AnchorsResult as AnchorsResult
    from .types.folded import FoldedArgs as FoldedArgs, FoldedResult as FoldedResult
    from .types.shared import Switch as Switch
    from . import codecs as codecs
    from .calls import (
        new_again_call as new_again_call,
        new_anchors_call as new_anchors_call,
        new_folded_call as new_folded_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import AGAIN as AGAIN, ANCHORS as ANCHORS, FOLDED as FOLDED
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AGAIN": ".idents",
            "ANCHORS": ".idents",
            "AgainArgs": ".types.again",
            "AgainResult": ".types.again",
            "AnchorsArgs": ".types.anchors",
            "AnchorsResult": ".types.anchors",
            "FOLDED": ".idents",
            "FoldedArgs": ".types.folded",
            "FoldedResult": ".types.folded",
            "Handlers": ".dispatch",
            "Switch": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_again_call": ".calls",
            "new_anchors_call": ".calls",
            "new_folded_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
