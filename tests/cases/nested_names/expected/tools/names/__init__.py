"""`names`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.order import (
        OrderArgs as OrderArgs,
        OrderArgsArgs_d13ba5 as OrderArgsArgs_d13ba5,
        OrderArgsItem_e478de as OrderArgsItem_e478de,
        OrderResult as OrderResult,
        OrderResultResult_392294 as OrderResultResult_392294,
    )
    from .types.order_args import (
        OrderArgsArgs as OrderArgsArgs,
        OrderArgsResult as OrderArgsResult,
        OrderArgsResultArgs as OrderArgsResultArgs,
    )
    from .types.order_result import OrderResultArgs as OrderResultArgs, OrderResultResult as OrderResultResult
    from .types.shared import OrderArgsItem as OrderArgsItem, Shared as Shared
    from .types.shared_twice import (
        SharedTwiceArgs as SharedTwiceArgs,
        SharedTwiceArgsLeft as SharedTwiceArgsLeft,
        SharedTwiceArgsLeftItem as SharedTwiceArgsLeftItem,
        SharedTwiceArgsLeftItem_7a2e2e as SharedTwiceArgsLeftItem_7a2e2e,
        SharedTwiceArgsListItem as SharedTwiceArgsListItem,
        SharedTwiceArgsListItemItem as SharedTwiceArgsListItemItem,
        SharedTwiceArgsRight as SharedTwiceArgsRight,
        SharedTwiceArgsRightItem as SharedTwiceArgsRightItem,
        SharedTwiceResult as SharedTwiceResult,
    )
    from . import codecs as codecs
    from .calls import (
        new_order_args_call as new_order_args_call,
        new_order_call as new_order_call,
        new_order_result_call as new_order_result_call,
        new_shared_twice_call as new_shared_twice_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        ORDER as ORDER,
        ORDER_ARGS as ORDER_ARGS,
        ORDER_RESULT as ORDER_RESULT,
        SHARED_TWICE as SHARED_TWICE,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "ORDER": ".idents",
            "ORDER_ARGS": ".idents",
            "ORDER_RESULT": ".idents",
            "OrderArgs": ".types.order",
            "OrderArgsArgs": ".types.order_args",
            "OrderArgsArgs_d13ba5": ".types.order",
            "OrderArgsItem": ".types.shared",
            "OrderArgsItem_e478de": ".types.order",
            "OrderArgsResult": ".types.order_args",
            "OrderArgsResultArgs": ".types.order_args",
            "OrderResult": ".types.order",
            "OrderResultArgs": ".types.order_result",
            "OrderResultResult": ".types.order_result",
            "OrderResultResult_392294": ".types.order",
            "SHARED_TWICE": ".idents",
            "Shared": ".types.shared",
            "SharedTwiceArgs": ".types.shared_twice",
            "SharedTwiceArgsLeft": ".types.shared_twice",
            "SharedTwiceArgsLeftItem": ".types.shared_twice",
            "SharedTwiceArgsLeftItem_7a2e2e": ".types.shared_twice",
            "SharedTwiceArgsListItem": ".types.shared_twice",
            "SharedTwiceArgsListItemItem": ".types.shared_twice",
            "SharedTwiceArgsRight": ".types.shared_twice",
            "SharedTwiceArgsRightItem": ".types.shared_twice",
            "SharedTwiceResult": ".types.shared_twice",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_order_args_call": ".calls",
            "new_order_call": ".calls",
            "new_order_result_call": ".calls",
            "new_registration": ".dispatch",
            "new_shared_twice_call": ".calls",
        },
    )
