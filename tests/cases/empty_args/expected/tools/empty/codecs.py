"""Codecs of `empty`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.closed import ClosedArgs, ClosedResult
    from .types.left_out import LeftOutArgs, LeftOutResult
    from .types.map_ import MapArgs, MapResult
    from .types.no_fields import NoFieldsArgs, NoFieldsResult
    from .types.patterns import PatternsArgs, PatternsResult
    from .types.raw import RawArgs, RawResult
    from .types.word import WordArgs, WordResult

CLOSED_ARGS: Final[Codec[ClosedArgs]] = Codec.of_package(PACKAGE, "empty.closed", "args")
CLOSED_RESULT: Final[Codec[ClosedResult]] = Codec.of_package(PACKAGE, "empty.closed", "result")
LEFT_OUT_ARGS: Final[Codec[LeftOutArgs]] = Codec.of_package(PACKAGE, "empty.left_out", "args")
LEFT_OUT_RESULT: Final[Codec[LeftOutResult]] = Codec.of_package(PACKAGE, "empty.left_out", "result")
MAP_ARGS: Final[Codec[MapArgs]] = Codec.of_package(PACKAGE, "empty.map", "args")
MAP_RESULT: Final[Codec[MapResult]] = Codec.of_package(PACKAGE, "empty.map", "result")
NO_FIELDS_ARGS: Final[Codec[NoFieldsArgs]] = Codec.of_package(PACKAGE, "empty.no_fields", "args")
NO_FIELDS_RESULT: Final[Codec[NoFieldsResult]] = Codec.of_package(PACKAGE, "empty.no_fields", "result")
PATTERNS_ARGS: Final[Codec[PatternsArgs]] = Codec.of_package(PACKAGE, "empty.patterns", "args")
PATTERNS_RESULT: Final[Codec[PatternsResult]] = Codec.of_package(PACKAGE, "empty.patterns", "result")
RAW_ARGS: Final[Codec[RawArgs]] = Codec.of_package(PACKAGE, "empty.raw", "args")
RAW_RESULT: Final[Codec[RawResult]] = Codec.of_package(PACKAGE, "empty.raw", "result")
WORD_ARGS: Final[Codec[WordArgs]] = Codec.of_package(PACKAGE, "empty.word", "args")
WORD_RESULT: Final[Codec[WordResult]] = Codec.of_package(PACKAGE, "empty.word", "result")
