"""Codecs of `tickets`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.close import CloseArgs, CloseResult

CLOSE_ARGS: Final[Codec[CloseArgs]] = Codec.of_package(PACKAGE, "tickets.close", "args")
CLOSE_RESULT: Final[Codec[CloseResult]] = Codec.of_package(PACKAGE, "tickets.close", "result")
