"""Call builders of `shop.orders`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from ....shared_types import Currency, Money, Page, Place


def new_list_call(*, page: Page | None = None, currency: Currency | None = None) -> ToolRequest:
    """Ask for `shop.orders.list`: List orders.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST, codecs.LIST_ARGS, {"page": page, "currency": currency})


def new_place_call(*, price: Money, place: Place, also: Page | None = None) -> ToolRequest:
    """Ask for `shop.orders.place`: Place an order.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PLACE, codecs.PLACE_ARGS, {"price": price, "place": place, "also": also})
