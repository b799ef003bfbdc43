"""Codecs of `old`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.newer_words import NewerWordsArgs, NewerWordsResult
    from .types.objects import ObjectsArgs, ObjectsResult
    from .types.recursive import RecursiveArgs, RecursiveResult
    from .types.siblings import SiblingsArgs, SiblingsResult

ARRAYS_ARGS: Final[Codec[ArraysArgs]] = Codec.of_package(PACKAGE, "old.arrays", "args")
ARRAYS_RESULT: Final[Codec[ArraysResult]] = Codec.of_package(PACKAGE, "old.arrays", "result")
NEWER_WORDS_ARGS: Final[Codec[NewerWordsArgs]] = Codec.of_package(PACKAGE, "old.newer_words", "args")
NEWER_WORDS_RESULT: Final[Codec[NewerWordsResult]] = Codec.of_package(PACKAGE, "old.newer_words", "result")
OBJECTS_ARGS: Final[Codec[ObjectsArgs]] = Codec.of_package(PACKAGE, "old.objects", "args")
OBJECTS_RESULT: Final[Codec[ObjectsResult]] = Codec.of_package(PACKAGE, "old.objects", "result")
RECURSIVE_ARGS: Final[Codec[RecursiveArgs]] = Codec.of_package(PACKAGE, "old.recursive", "args")
RECURSIVE_RESULT: Final[Codec[RecursiveResult]] = Codec.of_package(PACKAGE, "old.recursive", "result")
SIBLINGS_ARGS: Final[Codec[SiblingsArgs]] = Codec.of_package(PACKAGE, "old.siblings", "args")
SIBLINGS_RESULT: Final[Codec[SiblingsResult]] = Codec.of_package(PACKAGE, "old.siblings", "result")
