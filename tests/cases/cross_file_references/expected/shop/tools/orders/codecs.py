"""Codecs of `shop.orders`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.list_ import ListArgs, ListResult
    from .types.place import PlaceArgs, PlaceResult

LIST_ARGS: Final[Codec[ListArgs]] = Codec.of_package(PACKAGE, "shop.orders.list", "args")
LIST_RESULT: Final[Codec[ListResult]] = Codec.of_package(PACKAGE, "shop.orders.list", "result")
PLACE_ARGS: Final[Codec[PlaceArgs]] = Codec.of_package(PACKAGE, "shop.orders.place", "args")
PLACE_RESULT: Final[Codec[PlaceResult]] = Codec.of_package(PACKAGE, "shop.orders.place", "result")
