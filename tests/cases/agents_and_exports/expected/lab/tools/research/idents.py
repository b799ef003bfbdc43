"""Idents of the tools of `lab.research`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.search import SearchArgs, SearchResult
    from .types.verify import VerifyArgs, VerifyResult

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("lab.research.search")
"""Answer a question with sources."""

VERIFY: Final[Ident[VerifyArgs, VerifyResult]] = Ident("lab.research.verify")
"""Check a claim."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    SEARCH,
    VERIFY,
)
"""Every tool of this toolset."""
