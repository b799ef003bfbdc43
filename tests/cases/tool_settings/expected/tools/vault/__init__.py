"""`vault`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.nobody import NobodyArgs as NobodyArgs, NobodyResult as NobodyResult
    from .types.one_of_two import OneOfTwoArgs as OneOfTwoArgs, OneOfTwoResult as OneOfTwoResult
    from .types.store import (
        StoreArgs as StoreArgs,
        StoreArgsOptions as StoreArgsOptions,
        StoreArgsOptionsNestedItem as StoreArgsOptionsNestedItem,
        StoreResult as StoreResult,
    )
    from . import codecs as codecs
    from .calls import (
        new_nobody_call as new_nobody_call,
        new_one_of_two_call as new_one_of_two_call,
        new_store_call as new_store_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import NOBODY as NOBODY, ONE_OF_TWO as ONE_OF_TWO, STORE as STORE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "NOBODY": ".idents",
            "NobodyArgs": ".types.nobody",
            "NobodyResult": ".types.nobody",
            "ONE_OF_TWO": ".idents",
            "OneOfTwoArgs": ".types.one_of_two",
            "OneOfTwoResult": ".types.one_of_two",
            "STORE": ".idents",
            "StoreArgs": ".types.store",
            "StoreArgsOptions": ".types.store",
            "StoreArgsOptionsNestedItem": ".types.store",
            "StoreResult": ".types.store",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_nobody_call": ".calls",
            "new_one_of_two_call": ".calls",
            "new_registration": ".dispatch",
            "new_store_call": ".calls",
        },
    )
