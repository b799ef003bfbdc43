"""`choices`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.all_of import AllOfArgs as AllOfArgs, AllOfArgsRecord as AllOfArgsRecord, AllOfResult as AllOfResult
    from .types.any_of import AnyOfArgs as AnyOfArgs, AnyOfResult as AnyOfResult
    from .types.at_the_root import (
        AtTheRootArgs as AtTheRootArgs,
        AtTheRootResult as AtTheRootResult,
        AtTheRootResultObject as AtTheRootResultObject,
    )
    from .types.nested import NestedArgs as NestedArgs, NestedResult as NestedResult
    from .types.nothing_like import NothingLikeArgs as NothingLikeArgs, NothingLikeResult as NothingLikeResult
    from .types.one_of import (
        OneOfArgs as OneOfArgs,
        OneOfArgsShapeCircle as OneOfArgsShapeCircle,
        OneOfArgsShapeRectangle as OneOfArgsShapeRectangle,
        OneOfResult as OneOfResult,
    )
    from .types.shared import Cat as Cat, Dog as Dog, Pet as Pet
    from . import codecs as codecs
    from .calls import (
        new_all_of_call as new_all_of_call,
        new_any_of_call as new_any_of_call,
        new_at_the_root_call as new_at_the_root_call,
        new_nested_call as new_nested_call,
        new_nothing_like_call as new_nothing_like_call,
        new_one_of_call as new_one_of_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        ALL_OF as ALL_OF,
        ANY_OF as ANY_OF,
        AT_THE_ROOT as AT_THE_ROOT,
        NESTED as NESTED,
        NOTHING_LIKE as NOTHING_LIKE,
        ONE_OF as ONE_OF,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ALL_OF": ".idents",
            "ANY_OF": ".idents",
            "AT_THE_ROOT": ".idents",
            "AllOfArgs": ".types.all_of",
            "AllOfArgsRecord": ".types.all_of",
            "AllOfResult": ".types.all_of",
            "AnyOfArgs": ".types.any_of",
            "AnyOfResult": ".types.any_of",
            "AtTheRootArgs": ".types.at_the_root",
            "AtTheRootResult": ".types.at_the_root",
            "AtTheRootResultObject": ".types.at_the_root",
            "Cat": ".types.shared",
            "Dog": ".types.shared",
            "Handlers": ".dispatch",
            "NESTED": ".idents",
            "NOTHING_LIKE": ".idents",
            "NestedArgs": ".types.nested",
            "NestedResult": ".types.nested",
            "NothingLikeArgs": ".types.nothing_like",
            "NothingLikeResult": ".types.nothing_like",
            "ONE_OF": ".idents",
            "OneOfArgs": ".types.one_of",
            "OneOfArgsShapeCircle": ".types.one_of",
            "OneOfArgsShapeRectangle": ".types.one_of",
            "OneOfResult": ".types.one_of",
            "Pet": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_all_of_call": ".calls",
            "new_any_of_call": ".calls",
            "new_at_the_root_call": ".calls",
            "new_nested_call": ".calls",
            "new_nothing_like_call": ".calls",
            "new_one_of_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
