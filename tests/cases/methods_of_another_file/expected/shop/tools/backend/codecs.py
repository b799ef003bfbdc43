"""Codecs of `shop.backend`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.drop import DropArgs, DropResult

DROP_ARGS: Final[Codec[DropArgs]] = Codec.of_package(PACKAGE, "shop.backend.drop", "args")
DROP_RESULT: Final[Codec[DropResult]] = Codec.of_package(PACKAGE, "shop.backend.drop", "result")
