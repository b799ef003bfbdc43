"""Codecs of `shop.returns`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.accept import AcceptArgs, AcceptResult

ACCEPT_ARGS: Final[Codec[AcceptArgs]] = Codec.of_package(PACKAGE, "shop.returns.accept", "args")
ACCEPT_RESULT: Final[Codec[AcceptResult]] = Codec.of_package(PACKAGE, "shop.returns.accept", "result")
