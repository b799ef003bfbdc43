"""Idents of the tools of `orchestrator.profiles`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.search import SearchArgs, SearchResult
    from .types.upsert import UpsertArgs, UpsertResult

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("orchestrator.profiles.search")
"""Find profiles by name."""

UPSERT: Final[Ident[UpsertArgs, UpsertResult]] = Ident("orchestrator.profiles.upsert")
"""Create a profile, or update the one with the same name."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    SEARCH,
    UPSERT,
)
"""Every tool of this toolset."""
