"""Codecs of `sound`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.forbidden import ForbiddenArgs, ForbiddenResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.patterns import PatternsArgs, PatternsResult

BOUNDS_ARGS: Final[Codec[BoundsArgs]] = Codec.of_package(PACKAGE, "sound.bounds", "args")
BOUNDS_RESULT: Final[Codec[BoundsResult]] = Codec.of_package(PACKAGE, "sound.bounds", "result")
FORBIDDEN_ARGS: Final[Codec[ForbiddenArgs]] = Codec.of_package(PACKAGE, "sound.forbidden", "args")
FORBIDDEN_RESULT: Final[Codec[ForbiddenResult]] = Codec.of_package(PACKAGE, "sound.forbidden", "result")
OPEN_ARGS: Final[Codec[OpenArgs]] = Codec.of_package(PACKAGE, "sound.open", "args")
OPEN_RESULT: Final[Codec[OpenResult]] = Codec.of_package(PACKAGE, "sound.open", "result")
PATTERNS_ARGS: Final[Codec[PatternsArgs]] = Codec.of_package(PACKAGE, "sound.patterns", "args")
PATTERNS_RESULT: Final[Codec[PatternsResult]] = Codec.of_package(PACKAGE, "sound.patterns", "result")
