"""Call builders of `shop.orders`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.refund import RefundArgsLinesItem


def new_refund_call(
    *, order_id: str, lines: list[RefundArgsLinesItem], reason: str | None = None, amount: int | float = 10.5
) -> ToolRequest:
    """Ask for `shop.orders.refund`: Give the money back.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.REFUND,
        codecs.REFUND_ARGS,
        {"order_id": order_id, "lines": lines, "reason": reason, "amount": amount},
        {"amount": 10.5},
    )
