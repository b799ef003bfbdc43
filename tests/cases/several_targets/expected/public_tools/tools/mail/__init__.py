"""`mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.send import SendArgs as SendArgs, SendResult as SendResult
    from . import codecs as codecs
    from .calls import new_send_call as new_send_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import SEND as SEND
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "SEND": ".idents",
            "SendArgs": ".types.send",
            "SendResult": ".types.send",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_send_call": ".calls",
        },
    )
