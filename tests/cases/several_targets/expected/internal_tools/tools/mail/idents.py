"""Idents of the tools of `mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.forward import ForwardArgs, ForwardResult

FORWARD: Final[Ident[ForwardArgs, ForwardResult]] = Ident("mail.forward")
"""Forward mail."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (FORWARD,)
"""Every tool of this toolset."""
