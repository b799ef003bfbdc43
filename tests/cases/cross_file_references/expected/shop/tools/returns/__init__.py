"""`shop.returns`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....shared_types import Currency as Currency, Money as Money, Place as Place
    from .types.accept import AcceptArgs as AcceptArgs, AcceptResult as AcceptResult
    from .types.shared import Order as Order, Price as Price
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
            "Currency": "....shared_types",
            "Handlers": ".dispatch",
            "Money": "....shared_types",
            "Order": ".types.shared",
            "Place": "....shared_types",
            "Price": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_accept_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
