"""`team.shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.find import FindArgs as FindArgs, FindResult as FindResult
    from .types.note import NoteArgs as NoteArgs, NoteResult as NoteResult
    from .types.pay import PayArgs as PayArgs, PayResult as PayResult
    from .types.ping import PingArgs as PingArgs, PingResult as PingResult
    from .types.shared import Price as Price
    from . import codecs as codecs
    from .calls import (
        new_find_call as new_find_call,
        new_note_call as new_note_call,
        new_pay_call as new_pay_call,
        new_ping_call as new_ping_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import FIND as FIND, NOTE as NOTE, PAY as PAY, PING as PING
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FIND": ".idents",
            "FindArgs": ".types.find",
            "FindResult": ".types.find",
            "Handlers": ".dispatch",
            "NOTE": ".idents",
            "NoteArgs": ".types.note",
            "NoteResult": ".types.note",
            "PAY": ".idents",
            "PING": ".idents",
            "PayArgs": ".types.pay",
            "PayResult": ".types.pay",
            "PingArgs": ".types.ping",
            "PingResult": ".types.ping",
            "Price": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_find_call": ".calls",
            "new_note_call": ".calls",
            "new_pay_call": ".calls",
            "new_ping_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
