"""`shop.orders`: Orders of the shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.refund import (
        RefundArgs as RefundArgs,
        RefundArgsLinesItem as RefundArgsLinesItem,
        RefundResult as RefundResult,
    )
    from . import codecs as codecs
    from .calls import new_refund_call as new_refund_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import REFUND as REFUND
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "REFUND": ".idents",
            "RefundArgs": ".types.refund",
            "RefundArgsLinesItem": ".types.refund",
            "RefundResult": ".types.refund",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_refund_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
