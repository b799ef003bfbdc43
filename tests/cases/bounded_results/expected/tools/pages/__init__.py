"""`pages`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.free import FreeArgs as FreeArgs, FreeResult as FreeResult
    from .types.list_ import ListArgs as ListArgs, ListResult as ListResult
    from . import codecs as codecs
    from .calls import new_free_call as new_free_call, new_list_call as new_list_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import FREE as FREE, LIST as LIST
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FREE": ".idents",
            "FreeArgs": ".types.free",
            "FreeResult": ".types.free",
            "Handlers": ".dispatch",
            "LIST": ".idents",
            "ListArgs": ".types.list_",
            "ListResult": ".types.list_",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_free_call": ".calls",
            "new_list_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
