"""Codecs of `names`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.order import OrderArgs, OrderResult
    from .types.order_args import OrderArgsArgs, OrderArgsResult
    from .types.order_result import OrderResultArgs, OrderResultResult
    from .types.shared_twice import SharedTwiceArgs, SharedTwiceResult

ORDER_ARGS: Final[Codec[OrderArgs]] = Codec.of_package(PACKAGE, "names.order", "args")
ORDER_RESULT: Final[Codec[OrderResult]] = Codec.of_package(PACKAGE, "names.order", "result")
ORDER_ARGS_ARGS: Final[Codec[OrderArgsArgs]] = Codec.of_package(PACKAGE, "names.order_args", "args")
ORDER_ARGS_RESULT: Final[Codec[OrderArgsResult]] = Codec.of_package(PACKAGE, "names.order_args", "result")
ORDER_RESULT_ARGS: Final[Codec[OrderResultArgs]] = Codec.of_package(PACKAGE, "names.order_result", "args")
ORDER_RESULT_RESULT: Final[Codec[OrderResultResult]] = Codec.of_package(PACKAGE, "names.order_result", "result")
SHARED_TWICE_ARGS: Final[Codec[SharedTwiceArgs]] = Codec.of_package(PACKAGE, "names.shared_twice", "args")
SHARED_TWICE_RESULT: Final[Codec[SharedTwiceResult]] = Codec.of_package(PACKAGE, "names.shared_twice", "result")
