"""Idents of the tools of `mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.closed import ClosedArgs, ClosedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.payload import PayloadArgs, PayloadResult
    from .types.shared_ import SharedArgs, SharedResult
    from .types.whole import WholeArgs, WholeResult

CLOSED: Final[Ident[ClosedArgs, ClosedResult]] = Ident("mail.closed")
"""From closed args."""

OPEN: Final[Ident[OpenArgs, OpenResult]] = Ident("mail.open")
"""From open args."""

PAYLOAD: Final[Ident[PayloadArgs, PayloadResult]] = Ident("mail.payload")
"""From the payload, though the args are open."""

SHARED: Final[Ident[SharedArgs, SharedResult]] = Ident("mail.shared")
"""From a type that others use as it is."""

WHOLE: Final[Ident[WholeArgs, WholeResult]] = Ident("mail.whole")
"""The type as it is."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CLOSED,
    OPEN,
    PAYLOAD,
    SHARED,
    WHOLE,
)
"""Every tool of this toolset."""
