"""`files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.all_of_them import AllOfThemArgs as AllOfThemArgs, AllOfThemResult as AllOfThemResult
    from .types.none_of_them import NoneOfThemArgs as NoneOfThemArgs, NoneOfThemResult as NoneOfThemResult
    from .types.some import SomeArgs as SomeArgs, SomeResult as SomeResult
    from . import codecs as codecs
    from .calls import (
        new_all_of_them_call as new_all_of_them_call,
        new_none_of_them_call as new_none_of_them_call,
        new_some_call as new_some_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ALL_OF_THEM as ALL_OF_THEM, NONE_OF_THEM as NONE_OF_THEM, SOME as SOME
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ALL_OF_THEM": ".idents",
            "AllOfThemArgs": ".types.all_of_them",
            "AllOfThemResult": ".types.all_of_them",
            "Handlers": ".dispatch",
            "NONE_OF_THEM": ".idents",
            "NoneOfThemArgs": ".types.none_of_them",
            "NoneOfThemResult": ".types.none_of_them",
            "SOME": ".idents",
            "SomeArgs": ".types.some",
            "SomeResult": ".types.some",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_all_of_them_call": ".calls",
            "new_none_of_them_call": ".calls",
            "new_registration": ".dispatch",
            "new_some_call": ".calls",
        },
    )
