"""`parts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.items import ItemsArgs as ItemsArgs, ItemsResult as ItemsResult
    from .types.typed_rest import TypedRestArgs as TypedRestArgs, TypedRestResult as TypedRestResult
    from .types.whole import WholeArgs as WholeArgs, WholeResult as WholeResult
    from . import codecs as codecs
    from .calls import (
        new_items_call as new_items_call,
        new_typed_rest_call as new_typed_rest_call,
        new_whole_call as new_whole_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ITEMS as ITEMS, TYPED_REST as TYPED_REST, WHOLE as WHOLE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "ITEMS": ".idents",
            "ItemsArgs": ".types.items",
            "ItemsResult": ".types.items",
            "TYPED_REST": ".idents",
            "TypedRestArgs": ".types.typed_rest",
            "TypedRestResult": ".types.typed_rest",
            "WHOLE": ".idents",
            "WholeArgs": ".types.whole",
            "WholeResult": ".types.whole",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_items_call": ".calls",
            "new_registration": ".dispatch",
            "new_typed_rest_call": ".calls",
            "new_whole_call": ".calls",
        },
    )
