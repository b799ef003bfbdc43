"""`shop.orders`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....shared_types import Currency as Currency, Money as Money, Page as Page, Place as Place
    from .types.list_ import ListArgs as ListArgs, ListResult as ListResult
    from .types.place import PlaceArgs as PlaceArgs, PlaceResult as PlaceResult
    from .types.shared import Order as Order, Price as Price
    from . import codecs as codecs
    from .calls import new_list_call as new_list_call, new_place_call as new_place_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import LIST as LIST, PLACE as PLACE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Currency": "....shared_types",
            "Handlers": ".dispatch",
            "LIST": ".idents",
            "ListArgs": ".types.list_",
            "ListResult": ".types.list_",
            "Money": "....shared_types",
            "Order": ".types.shared",
            "PLACE": ".idents",
            "Page": "....shared_types",
            "Place": "....shared_types",
            "PlaceArgs": ".types.place",
            "PlaceResult": ".types.place",
            "Price": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_list_call": ".calls",
            "new_place_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
