"""Call builders of `payments`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.batch import BatchArgsEntriesItem


def new_batch_call(*, entries: list[BatchArgsEntriesItem]) -> ToolRequest:
    """Ask for `payments.batch`: The same inside an array.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BATCH, codecs.BATCH_ARGS, {"entries": entries})


def new_pay_call(
    *,
    amount: int | float,
    card: str | None = None,
    cvc: str | None = None,
    invoice: bool | None = None,
    address: str | None = None,
) -> ToolRequest:
    """Ask for `payments.pay`: A card needs its code; an invoice needs an address of at least three characters.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PAY,
        codecs.PAY_ARGS,
        {"amount": amount, "card": card, "cvc": cvc, "invoice": invoice, "address": address},
    )
