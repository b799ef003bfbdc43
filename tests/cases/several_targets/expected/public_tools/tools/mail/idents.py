"""Idents of the tools of `mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.send import SendArgs, SendResult

SEND: Final[Ident[SendArgs, SendResult]] = Ident("mail.send")
"""Send mail."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (SEND,)
"""Every tool of this toolset."""
