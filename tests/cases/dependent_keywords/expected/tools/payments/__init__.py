"""`payments`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.batch import (
        BatchArgs as BatchArgs,
        BatchArgsEntriesItem as BatchArgsEntriesItem,
        BatchResult as BatchResult,
    )
    from .types.pay import PayArgs as PayArgs, PayResult as PayResult
    from . import codecs as codecs
    from .calls import new_batch_call as new_batch_call, new_pay_call as new_pay_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BATCH as BATCH, PAY as PAY
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BATCH": ".idents",
            "BatchArgs": ".types.batch",
            "BatchArgsEntriesItem": ".types.batch",
            "BatchResult": ".types.batch",
            "Handlers": ".dispatch",
            "PAY": ".idents",
            "PayArgs": ".types.pay",
            "PayResult": ".types.pay",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_batch_call": ".calls",
            "new_pay_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
