"""Idents of the tools of `search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.ask import AskArgs, AskResult

ASK: Final[Ident[AskArgs, AskResult]] = Ident("search.ask")
"""Ask a question."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (ASK,)
"""Every tool of this toolset."""
