"""Codecs of `mcp.local-files`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.list_ import ListArgs, ListResult

LIST_ARGS: Final[Codec[ListArgs]] = Codec.of_package(PACKAGE, "mcp.local-files.list", "args")
LIST_RESULT: Final[Codec[ListResult]] = Codec.of_package(PACKAGE, "mcp.local-files.list", "result")
