"""`nullable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.set_ import (
        SetArgs as SetArgs,
        SetArgsAddress as SetArgsAddress,
        SetResult as SetResult,
        SetResultObject as SetResultObject,
    )
    from .types.shared import MaybePerson as MaybePerson, Person as Person
    from . import codecs as codecs
    from .calls import new_set_call as new_set_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import SET as SET
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "MaybePerson": ".types.shared",
            "Person": ".types.shared",
            "SET": ".idents",
            "SetArgs": ".types.set_",
            "SetArgsAddress": ".types.set_",
            "SetResult": ".types.set_",
            "SetResultObject": ".types.set_",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_set_call": ".calls",
        },
    )
