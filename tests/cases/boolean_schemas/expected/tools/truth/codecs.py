"""Codecs of `truth`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.anything_goes import AnythingGoesArgs, AnythingGoesResult
    from .types.everywhere import EverywhereArgs, EverywhereResult
    from .types.short import ShortArgs, ShortResult

ANYTHING_GOES_ARGS: Final[Codec[AnythingGoesArgs]] = Codec.of_package(PACKAGE, "truth.anything_goes", "args")
ANYTHING_GOES_RESULT: Final[Codec[AnythingGoesResult]] = Codec.of_package(PACKAGE, "truth.anything_goes", "result")
EVERYWHERE_ARGS: Final[Codec[EverywhereArgs]] = Codec.of_package(PACKAGE, "truth.everywhere", "args")
EVERYWHERE_RESULT: Final[Codec[EverywhereResult]] = Codec.of_package(PACKAGE, "truth.everywhere", "result")
SHORT_ARGS: Final[Codec[ShortArgs]] = Codec.of_package(PACKAGE, "truth.short", "args")
SHORT_RESULT: Final[Codec[ShortResult]] = Codec.of_package(PACKAGE, "truth.short", "result")
