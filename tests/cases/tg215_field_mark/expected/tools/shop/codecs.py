"""Codecs of `shop`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.alone import AloneArgs, AloneResult
    from .types.inside import InsideArgs, InsideResult
    from .types.meant import MeantArgs, MeantResult
    from .types.twice import TwiceArgs, TwiceResult

ALONE_ARGS: Final[Codec[AloneArgs]] = Codec.of_package(PACKAGE, "shop.alone", "args")
ALONE_RESULT: Final[Codec[AloneResult]] = Codec.of_package(PACKAGE, "shop.alone", "result")
INSIDE_ARGS: Final[Codec[InsideArgs]] = Codec.of_package(PACKAGE, "shop.inside", "args")
INSIDE_RESULT: Final[Codec[InsideResult]] = Codec.of_package(PACKAGE, "shop.inside", "result")
MEANT_ARGS: Final[Codec[MeantArgs]] = Codec.of_package(PACKAGE, "shop.meant", "args")
MEANT_RESULT: Final[Codec[MeantResult]] = Codec.of_package(PACKAGE, "shop.meant", "result")
TWICE_ARGS: Final[Codec[TwiceArgs]] = Codec.of_package(PACKAGE, "shop.twice", "args")
TWICE_RESULT: Final[Codec[TwiceResult]] = Codec.of_package(PACKAGE, "shop.twice", "result")
