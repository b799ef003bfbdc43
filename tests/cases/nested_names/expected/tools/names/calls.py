"""Call builders of `names`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.order import OrderArgsArgs_d13ba5, OrderArgsItem_e478de
    from .types.shared import OrderArgsItem
    from .types.shared_twice import (
        SharedTwiceArgsLeft,
        SharedTwiceArgsLeftItem_7a2e2e,
        SharedTwiceArgsListItem,
        SharedTwiceArgsRight,
    )


def new_order_call(
    *, item: OrderArgsItem_e478de, args: OrderArgsArgs_d13ba5, other: OrderArgsItem | None = None
) -> ToolRequest:
    """Ask for `names.order`: Its field `item` would make a class called like a type, its field `args` one called like those of `order_args`.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ORDER, codecs.ORDER_ARGS, {"item": item, "args": args, "other": other})


def new_order_args_call(*, b: str) -> ToolRequest:
    """Ask for `names.order_args`: Called like a field of the other tool.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ORDER_ARGS, codecs.ORDER_ARGS_ARGS, {"b": b})


def new_order_result_call() -> ToolRequest:
    """Ask for `names.order_result`: And once more.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ORDER_RESULT, codecs.ORDER_RESULT_ARGS, {})


def new_shared_twice_call(
    *,
    left: SharedTwiceArgsLeft,
    right: SharedTwiceArgsRight,
    list_: list[SharedTwiceArgsListItem],
    left_item: SharedTwiceArgsLeftItem_7a2e2e | None = None,
) -> ToolRequest:
    """Ask for `names.shared_twice`: Two fields in different places with one name each.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SHARED_TWICE,
        codecs.SHARED_TWICE_ARGS,
        {"left": left, "right": right, "list": list_, "left_item": left_item},
    )
