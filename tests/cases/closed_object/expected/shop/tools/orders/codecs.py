"""Codecs of `shop.orders`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.refund import RefundArgs, RefundResult

REFUND_ARGS: Final[Codec[RefundArgs]] = Codec.of_package(PACKAGE, "shop.orders.refund", "args")
REFUND_RESULT: Final[Codec[RefundResult]] = Codec.of_package(PACKAGE, "shop.orders.refund", "result")
