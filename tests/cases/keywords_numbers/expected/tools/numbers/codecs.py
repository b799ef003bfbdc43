"""Codecs of `numbers`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.kinds import KindsArgs, KindsResult
    from .types.multiples import MultiplesArgs, MultiplesResult

BOUNDS_ARGS: Final[Codec[BoundsArgs]] = Codec.of_package(PACKAGE, "numbers.bounds", "args")
BOUNDS_RESULT: Final[Codec[BoundsResult]] = Codec.of_package(PACKAGE, "numbers.bounds", "result")
KINDS_ARGS: Final[Codec[KindsArgs]] = Codec.of_package(PACKAGE, "numbers.kinds", "args")
KINDS_RESULT: Final[Codec[KindsResult]] = Codec.of_package(PACKAGE, "numbers.kinds", "result")
MULTIPLES_ARGS: Final[Codec[MultiplesArgs]] = Codec.of_package(PACKAGE, "numbers.multiples", "args")
MULTIPLES_RESULT: Final[Codec[MultiplesResult]] = Codec.of_package(PACKAGE, "numbers.multiples", "result")
