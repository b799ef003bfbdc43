"""Codecs of `pages`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.free import FreeArgs, FreeResult
    from .types.list_ import ListArgs, ListResult

FREE_ARGS: Final[Codec[FreeArgs]] = Codec.of_package(PACKAGE, "pages.free", "args")
FREE_RESULT: Final[Codec[FreeResult]] = Codec.of_package(PACKAGE, "pages.free", "result")
LIST_ARGS: Final[Codec[ListArgs]] = Codec.of_package(PACKAGE, "pages.list", "args")
LIST_RESULT: Final[Codec[ListResult]] = Codec.of_package(PACKAGE, "pages.list", "result")
