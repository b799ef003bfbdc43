"""Codecs of `mcp.later`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.ping import PingArgs, PingResult

PING_ARGS: Final[Codec[PingArgs]] = Codec.of_package(PACKAGE, "mcp.later.ping", "args")
PING_RESULT: Final[Codec[PingResult]] = Codec.of_package(PACKAGE, "mcp.later.ping", "result")
