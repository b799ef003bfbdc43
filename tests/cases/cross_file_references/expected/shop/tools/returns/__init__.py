"""`shop.returns`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.accept import AcceptArgs as AcceptArgs, AcceptResult as AcceptResult
    from .types.shared import Currency as Currency, Money as Money, Order as Order, Place as Place, Price as Price
    from . import codecs as codecs
    from .calls import new_accept_call as new_accept_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ACCEPT as ACCEPT
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ACCEPT": ".idents",
            "AcceptArgs": ".types.accept",
            "AcceptResult": ".types.accept",
            "Currency": ".types.shared",
            "Handlers": ".dispatch",
            "Money": ".types.shared",
            "Order": ".types.shared",
            "Place": ".types.shared",
            "Price": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_accept_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
