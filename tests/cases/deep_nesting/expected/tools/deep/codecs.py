"""Codecs of `deep`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.raw import RawArgs, RawResult
    from .types.short import ShortArgs, ShortResult

RAW_ARGS: Final[Codec[RawArgs]] = Codec.of_package(PACKAGE, "deep.raw", "args")
RAW_RESULT: Final[Codec[RawResult]] = Codec.of_package(PACKAGE, "deep.raw", "result")
SHORT_ARGS: Final[Codec[ShortArgs]] = Codec.of_package(PACKAGE, "deep.short", "args")
SHORT_RESULT: Final[Codec[ShortResult]] = Codec.of_package(PACKAGE, "deep.short", "result")
