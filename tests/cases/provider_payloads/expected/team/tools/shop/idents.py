"""Idents of the tools of `team.shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.find import FindArgs, FindResult
    from .types.note import NoteArgs, NoteResult
    from .types.pay import PayArgs, PayResult
    from .types.ping import PingArgs, PingResult

FIND: Final[Ident[FindArgs, FindResult]] = Ident("team.shop.find")
"""Find articles."""

NOTE: Final[Ident[NoteArgs, NoteResult]] = Ident("team.shop.note")
"""Keep anything at all, under a key."""

PAY: Final[Ident[PayArgs, PayResult]] = Ident("team.shop.pay")
"""Pay, by exactly one means."""

PING: Final[Ident[PingArgs, PingResult]] = Ident("team.shop.ping")
"""Look whether it is open."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    FIND,
    NOTE,
    PAY,
    PING,
)
"""Every tool of this toolset."""
