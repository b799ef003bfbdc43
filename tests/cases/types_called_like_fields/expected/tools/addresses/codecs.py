"""Codecs of `addresses`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.move import MoveArgs, MoveResult

MOVE_ARGS: Final[Codec[MoveArgs]] = Codec.of_package(PACKAGE, "addresses.move", "args")
MOVE_RESULT: Final[Codec[MoveResult]] = Codec.of_package(PACKAGE, "addresses.move", "result")
