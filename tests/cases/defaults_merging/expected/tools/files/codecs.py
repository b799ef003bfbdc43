"""Codecs of `files`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.all_of_them import AllOfThemArgs, AllOfThemResult
    from .types.none_of_them import NoneOfThemArgs, NoneOfThemResult
    from .types.some import SomeArgs, SomeResult

ALL_OF_THEM_ARGS: Final[Codec[AllOfThemArgs]] = Codec.of_package(PACKAGE, "files.all_of_them", "args")
ALL_OF_THEM_RESULT: Final[Codec[AllOfThemResult]] = Codec.of_package(PACKAGE, "files.all_of_them", "result")
NONE_OF_THEM_ARGS: Final[Codec[NoneOfThemArgs]] = Codec.of_package(PACKAGE, "files.none_of_them", "args")
NONE_OF_THEM_RESULT: Final[Codec[NoneOfThemResult]] = Codec.of_package(PACKAGE, "files.none_of_them", "result")
SOME_ARGS: Final[Codec[SomeArgs]] = Codec.of_package(PACKAGE, "files.some", "args")
SOME_RESULT: Final[Codec[SomeResult]] = Codec.of_package(PACKAGE, "files.some", "result")
