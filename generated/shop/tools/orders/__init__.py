"""`shop.orders`: Orders of a small shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.find import FindArgs as FindArgs, FindResult as FindResult
    from .types.refund import RefundArgs as RefundArgs, RefundResult as RefundResult
    from .types.shared import Money as Money, Order as Order
    from . import codecs as codecs
    from .calls import new_find_call as new_find_call, new_refund_call as new_refund_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import FIND as FIND, REFUND as REFUND
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FIND": ".idents",
            "FindArgs": ".types.find",
            "FindResult": ".types.find",
            "Handlers": ".dispatch",
            "Money": ".types.shared",
            "Order": ".types.shared",
            "REFUND": ".idents",
            "RefundArgs": ".types.refund",
            "RefundResult": ".types.refund",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_find_call": ".calls",
            "new_refund_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
