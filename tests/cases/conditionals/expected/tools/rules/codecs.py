"""Codecs of `rules`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.alone import AloneArgs, AloneResult
    from .types.chained import ChainedArgs, ChainedResult
    from .types.only_else import OnlyElseArgs, OnlyElseResult
    from .types.only_then import OnlyThenArgs, OnlyThenResult
    from .types.ship import ShipArgs, ShipResult

ALONE_ARGS: Final[Codec[AloneArgs]] = Codec.of_package(PACKAGE, "rules.alone", "args")
ALONE_RESULT: Final[Codec[AloneResult]] = Codec.of_package(PACKAGE, "rules.alone", "result")
CHAINED_ARGS: Final[Codec[ChainedArgs]] = Codec.of_package(PACKAGE, "rules.chained", "args")
CHAINED_RESULT: Final[Codec[ChainedResult]] = Codec.of_package(PACKAGE, "rules.chained", "result")
ONLY_ELSE_ARGS: Final[Codec[OnlyElseArgs]] = Codec.of_package(PACKAGE, "rules.only_else", "args")
ONLY_ELSE_RESULT: Final[Codec[OnlyElseResult]] = Codec.of_package(PACKAGE, "rules.only_else", "result")
ONLY_THEN_ARGS: Final[Codec[OnlyThenArgs]] = Codec.of_package(PACKAGE, "rules.only_then", "args")
ONLY_THEN_RESULT: Final[Codec[OnlyThenResult]] = Codec.of_package(PACKAGE, "rules.only_then", "result")
SHIP_ARGS: Final[Codec[ShipArgs]] = Codec.of_package(PACKAGE, "rules.ship", "args")
SHIP_RESULT: Final[Codec[ShipResult]] = Codec.of_package(PACKAGE, "rules.ship", "result")
