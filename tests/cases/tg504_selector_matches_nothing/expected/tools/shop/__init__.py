"""`shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.add import AddArgs as AddArgs, AddResult as AddResult
    from . import codecs as codecs
    from .calls import new_add_call as new_add_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ADD as ADD
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ADD": ".idents",
            "AddArgs": ".types.add",
            "AddResult": ".types.add",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_add_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
