"""Codecs of `shop.orders`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.refund import RefundArgs, RefundResult
    from .types.status import StatusArgs, StatusResult

REFUND_ARGS: Final[Codec[RefundArgs]] = Codec.of_package(PACKAGE, "shop.orders.refund", "args")
REFUND_RESULT: Final[Codec[RefundResult]] = Codec.of_package(PACKAGE, "shop.orders.refund", "result")
STATUS_ARGS: Final[Codec[StatusArgs]] = Codec.of_package(PACKAGE, "shop.orders.status", "args")
STATUS_RESULT: Final[Codec[StatusResult]] = Codec.of_package(PACKAGE, "shop.orders.status", "result")
