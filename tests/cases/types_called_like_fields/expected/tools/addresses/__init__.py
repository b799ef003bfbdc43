"""`addresses`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.move import MoveArgs as MoveArgs, MoveArgsMoveResult as MoveArgsMoveResult, MoveResult as MoveResult
    from .types.shared import Address as Address, Street as Street, Zip as Zip
    from . import codecs as codecs
    from .calls import new_move_call as new_move_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import MOVE as MOVE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Address": ".types.shared",
            "Handlers": ".dispatch",
            "MOVE": ".idents",
            "MoveArgs": ".types.move",
            "MoveArgsMoveResult": ".types.move",
            "MoveResult": ".types.move",
            "Street": ".types.shared",
            "Zip": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_move_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
