"""`shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.refund import RefundArgs as RefundArgs, RefundResult as RefundResult
    from .types.status import StatusArgs as StatusArgs, StatusResult as StatusResult
    from . import codecs as codecs
    from .calls import new_refund_call as new_refund_call, new_status_call as new_status_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import REFUND as REFUND, STATUS as STATUS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "REFUND": ".idents",
            "RefundArgs": ".types.refund",
            "RefundResult": ".types.refund",
            "STATUS": ".idents",
            "StatusArgs": ".types.status",
            "StatusResult": ".types.status",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_refund_call": ".calls",
            "new_registration": ".dispatch",
            "new_status_call": ".calls",
        },
    )
