"""`forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.arrays import (
        ArraysArgs as ArraysArgs,
        ArraysArgsPointsItem as ArraysArgsPointsItem,
        ArraysResult as ArraysResult,
    )
    from .types.nested import (
        NestedArgs as NestedArgs,
        NestedArgsOuter as NestedArgsOuter,
        NestedArgsOuterMiddle as NestedArgsOuterMiddle,
        NestedResult as NestedResult,
    )
    from .types.nothing import NothingArgs as NothingArgs, NothingResult as NothingResult
    from .types.shared import Box as Box, Size as Size
    from .types.words import WordsArgs as WordsArgs, WordsResult as WordsResult
    from . import codecs as codecs
    from .calls import (
        new_arrays_call as new_arrays_call,
        new_nested_call as new_nested_call,
        new_nothing_call as new_nothing_call,
        new_words_call as new_words_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ARRAYS as ARRAYS, NESTED as NESTED, NOTHING as NOTHING, WORDS as WORDS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ARRAYS": ".idents",
            "ArraysArgs": ".types.arrays",
            "ArraysArgsPointsItem": ".types.arrays",
            "ArraysResult": ".types.arrays",
            "Box": ".types.shared",
            "Handlers": ".dispatch",
            "NESTED": ".idents",
            "NOTHING": ".idents",
            "NestedArgs": ".types.nested",
            "NestedArgsOuter": ".types.nested",
            "NestedArgsOuterMiddle": ".types.nested",
            "NestedResult": ".types.nested",
            "NothingArgs": ".types.nothing",
            "NothingResult": ".types.nothing",
            "Size": ".types.shared",
            "WORDS": ".idents",
            "WordsArgs": ".types.words",
            "WordsResult": ".types.words",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_arrays_call": ".calls",
            "new_nested_call": ".calls",
            "new_nothing_call": ".calls",
            "new_registration": ".dispatch",
            "new_words_call": ".calls",
        },
    )
