"""Codecs of `defaults`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.draw import DrawArgs, DrawResult

DRAW_ARGS: Final[Codec[DrawArgs]] = Codec.of_package(PACKAGE, "defaults.draw", "args")
DRAW_RESULT: Final[Codec[DrawResult]] = Codec.of_package(PACKAGE, "defaults.draw", "result")
