"""Codecs of `hostile`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.tool import ToolArgs, ToolResult

TOOL_ARGS: Final[Codec[ToolArgs]] = Codec.of_package(PACKAGE, "hostile.tool", "args")
TOOL_RESULT: Final[Codec[ToolResult]] = Codec.of_package(PACKAGE, "hostile.tool", "result")
