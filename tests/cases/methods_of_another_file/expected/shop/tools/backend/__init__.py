"""`shop.backend`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.drop import DropArgs as DropArgs, DropResult as DropResult
    from .types.methods import (
        AddMethodResult as AddMethodResult,
        AddPayload as AddPayload,
        DropMethodResult as DropMethodResult,
        DropPayload as DropPayload,
    )
    from .types.shared import Item as Item
    from . import codecs as codecs
    from .calls import new_drop_call as new_drop_call
    from .dispatch import (
        Handlers as Handlers,
        ServiceMethods as ServiceMethods,
        executor as executor,
        executor_from as executor_from,
        new_registration as new_registration,
    )
    from .idents import DROP as DROP
    from .transforms import to_method_payload_drop as to_method_payload_drop, to_tool_return_drop as to_tool_return_drop
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AddMethodResult": ".types.methods",
            "AddPayload": ".types.methods",
            "DROP": ".idents",
            "DropArgs": ".types.drop",
            "DropMethodResult": ".types.methods",
            "DropPayload": ".types.methods",
            "DropResult": ".types.drop",
            "Handlers": ".dispatch",
            "Item": ".types.shared",
            "ServiceMethods": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "executor_from": ".dispatch",
            "new_drop_call": ".calls",
            "new_registration": ".dispatch",
            "to_method_payload_drop": ".transforms",
            "to_tool_return_drop": ".transforms",
        },
    )
