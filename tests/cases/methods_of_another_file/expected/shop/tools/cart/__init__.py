"""`shop.cart`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.add import AddArgs as AddArgs, AddResult as AddResult
    from .types.methods import AddItemMethodResult as AddItemMethodResult, AddItemPayload as AddItemPayload
    from .types.shared import Item as Item
    from . import codecs as codecs
    from .calls import new_add_call as new_add_call
    from .dispatch import (
        Handlers as Handlers,
        ServiceMethods as ServiceMethods,
        executor as executor,
        executor_from as executor_from,
        new_registration as new_registration,
    )
    from .idents import ADD as ADD
    from .transforms import to_method_payload_add as to_method_payload_add, to_tool_return_add as to_tool_return_add
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ADD": ".idents",
            "AddArgs": ".types.add",
            "AddItemMethodResult": ".types.methods",
            "AddItemPayload": ".types.methods",
            "AddResult": ".types.add",
            "Handlers": ".dispatch",
            "Item": ".types.shared",
            "ServiceMethods": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "executor_from": ".dispatch",
            "new_add_call": ".calls",
            "new_registration": ".dispatch",
            "to_method_payload_add": ".transforms",
            "to_tool_return_add": ".transforms",
        },
    )
