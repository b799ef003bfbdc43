"""Codecs of `forms`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing import NothingArgs, NothingResult
    from .types.words import WordsArgs, WordsResult

ARRAYS_ARGS: Final[Codec[ArraysArgs]] = Codec.of_package(PACKAGE, "forms.arrays", "args")
ARRAYS_RESULT: Final[Codec[ArraysResult]] = Codec.of_package(PACKAGE, "forms.arrays", "result")
NESTED_ARGS: Final[Codec[NestedArgs]] = Codec.of_package(PACKAGE, "forms.nested", "args")
NESTED_RESULT: Final[Codec[NestedResult]] = Codec.of_package(PACKAGE, "forms.nested", "result")
NOTHING_ARGS: Final[Codec[NothingArgs]] = Codec.of_package(PACKAGE, "forms.nothing", "args")
NOTHING_RESULT: Final[Codec[NothingResult]] = Codec.of_package(PACKAGE, "forms.nothing", "result")
WORDS_ARGS: Final[Codec[WordsArgs]] = Codec.of_package(PACKAGE, "forms.words", "args")
WORDS_RESULT: Final[Codec[WordsResult]] = Codec.of_package(PACKAGE, "forms.words", "result")
