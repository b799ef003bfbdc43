"""Codecs of `search`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.ask import AskArgs, AskResult

ASK_ARGS: Final[Codec[AskArgs]] = Codec.of_package(PACKAGE, "search.ask", "args")
ASK_RESULT: Final[Codec[AskResult]] = Codec.of_package(PACKAGE, "search.ask", "result")
