"""Idents of the tools of `team.notes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.add import AddArgs, AddResult
    from .types.drop import DropArgs, DropResult
    from .types.keep import KeepArgs, KeepResult
    from .types.list_all import ListAllArgs, ListAllResult
    from .types.research import ResearchArgs, ResearchResult
    from .types.tell import TellArgs, TellResult

ADD: Final[Ident[AddArgs, AddResult]] = Ident("team.notes.add")
"""Add a note."""

DROP: Final[Ident[DropArgs, DropResult]] = Ident("team.notes.drop")
"""Drop a note."""

KEEP: Final[Ident[KeepArgs, KeepResult]] = Ident("team.notes.keep")
"""Keep a note."""

LIST_ALL: Final[Ident[ListAllArgs, ListAllResult]] = Ident("team.notes.list-all")
"""List notes."""

RESEARCH: Final[Ident[ResearchArgs, ResearchResult]] = Ident("team.notes.research")
"""Look something up."""

TELL: Final[Ident[TellArgs, TellResult]] = Ident("team.notes.tell")
"""Tell somebody."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ADD,
    DROP,
    KEEP,
    LIST_ALL,
    RESEARCH,
    TELL,
)
"""Every tool of this toolset."""
