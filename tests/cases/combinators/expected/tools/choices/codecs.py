"""Codecs of `choices`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.all_of import AllOfArgs, AllOfResult
    from .types.any_of import AnyOfArgs, AnyOfResult
    from .types.at_the_root import AtTheRootArgs, AtTheRootResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing_like import NothingLikeArgs, NothingLikeResult
    from .types.one_of import OneOfArgs, OneOfResult

ALL_OF_ARGS: Final[Codec[AllOfArgs]] = Codec.of_package(PACKAGE, "choices.all_of", "args")
ALL_OF_RESULT: Final[Codec[AllOfResult]] = Codec.of_package(PACKAGE, "choices.all_of", "result")
ANY_OF_ARGS: Final[Codec[AnyOfArgs]] = Codec.of_package(PACKAGE, "choices.any_of", "args")
ANY_OF_RESULT: Final[Codec[AnyOfResult]] = Codec.of_package(PACKAGE, "choices.any_of", "result")
AT_THE_ROOT_ARGS: Final[Codec[AtTheRootArgs]] = Codec.of_package(PACKAGE, "choices.at_the_root", "args")
AT_THE_ROOT_RESULT: Final[Codec[AtTheRootResult]] = Codec.of_package(PACKAGE, "choices.at_the_root", "result")
NESTED_ARGS: Final[Codec[NestedArgs]] = Codec.of_package(PACKAGE, "choices.nested", "args")
NESTED_RESULT: Final[Codec[NestedResult]] = Codec.of_package(PACKAGE, "choices.nested", "result")
NOTHING_LIKE_ARGS: Final[Codec[NothingLikeArgs]] = Codec.of_package(PACKAGE, "choices.nothing_like", "args")
NOTHING_LIKE_RESULT: Final[Codec[NothingLikeResult]] = Codec.of_package(PACKAGE, "choices.nothing_like", "result")
ONE_OF_ARGS: Final[Codec[OneOfArgs]] = Codec.of_package(PACKAGE, "choices.one_of", "args")
ONE_OF_RESULT: Final[Codec[OneOfResult]] = Codec.of_package(PACKAGE, "choices.one_of", "result")
