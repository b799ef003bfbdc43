"""`mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.forward import ForwardArgs as ForwardArgs, ForwardResult as ForwardResult
    from . import codecs as codecs
    from .calls import new_forward_call as new_forward_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import FORWARD as FORWARD
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FORWARD": ".idents",
            "ForwardArgs": ".types.forward",
            "ForwardResult": ".types.forward",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_forward_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
