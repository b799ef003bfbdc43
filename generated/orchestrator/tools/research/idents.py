"""Idents of the tools of `orchestrator.research`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.search import SearchArgs, SearchResult
    from .types.verify import VerifyArgs, VerifyResult

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("orchestrator.research.search")
"""Research a question and answer it with sources."""

VERIFY: Final[Ident[VerifyArgs, VerifyResult]] = Ident("orchestrator.research.verify")
"""Check one claim against its sources."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    SEARCH,
    VERIFY,
)
"""Every tool of this toolset."""
