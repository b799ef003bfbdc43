"""Codecs of `payments`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.batch import BatchArgs, BatchResult
    from .types.pay import PayArgs, PayResult

BATCH_ARGS: Final[Codec[BatchArgs]] = Codec.of_package(PACKAGE, "payments.batch", "args")
BATCH_RESULT: Final[Codec[BatchResult]] = Codec.of_package(PACKAGE, "payments.batch", "result")
PAY_ARGS: Final[Codec[PayArgs]] = Codec.of_package(PACKAGE, "payments.pay", "args")
PAY_RESULT: Final[Codec[PayResult]] = Codec.of_package(PACKAGE, "payments.pay", "result")
