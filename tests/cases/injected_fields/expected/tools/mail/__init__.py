"""`mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.closed import ClosedArgs as ClosedArgs, ClosedResult as ClosedResult
    from .types.methods import SendMethodResult as SendMethodResult, SendPayload as SendPayload
    from .types.open_ import OpenArgs as OpenArgs, OpenResult as OpenResult
    from .types.payload import PayloadArgs as PayloadArgs, PayloadResult as PayloadResult
    from .types.shared import Draft as Draft
    from .types.shared_ import SharedArgs as SharedArgs, SharedResult as SharedResult
    from .types.whole import WholeArgs as WholeArgs, WholeResult as WholeResult
    from . import codecs as codecs
    from .calls import (
        new_closed_call as new_closed_call,
        new_open_call as new_open_call,
        new_payload_call as new_payload_call,
        new_shared_call as new_shared_call,
        new_whole_call as new_whole_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CLOSED as CLOSED, OPEN as OPEN, PAYLOAD as PAYLOAD, SHARED as SHARED, WHOLE as WHOLE
    from .transforms import (
        to_method_payload_payload as to_method_payload_payload,
        to_tool_return_payload as to_tool_return_payload,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CLOSED": ".idents",
            "ClosedArgs": ".types.closed",
            "ClosedResult": ".types.closed",
            "Draft": ".types.shared",
            "Handlers": ".dispatch",
            "OPEN": ".idents",
            "OpenArgs": ".types.open_",
            "OpenResult": ".types.open_",
            "PAYLOAD": ".idents",
            "PayloadArgs": ".types.payload",
            "PayloadResult": ".types.payload",
            "SHARED": ".idents",
            "SendMethodResult": ".types.methods",
            "SendPayload": ".types.methods",
            "SharedArgs": ".types.shared_",
            "SharedResult": ".types.shared_",
            "WHOLE": ".idents",
            "WholeArgs": ".types.whole",
            "WholeResult": ".types.whole",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_closed_call": ".calls",
            "new_open_call": ".calls",
            "new_payload_call": ".calls",
            "new_registration": ".dispatch",
            "new_shared_call": ".calls",
            "new_whole_call": ".calls",
            "to_method_payload_payload": ".transforms",
            "to_tool_return_payload": ".transforms",
        },
    )
