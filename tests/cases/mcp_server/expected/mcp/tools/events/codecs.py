"""Codecs of `mcp.events`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.wait import WaitArgs, WaitResult

WAIT_ARGS: Final[Codec[WaitArgs]] = Codec.of_package(PACKAGE, "mcp.events.wait", "args")
WAIT_RESULT: Final[Codec[WaitResult]] = Codec.of_package(PACKAGE, "mcp.events.wait", "result")
