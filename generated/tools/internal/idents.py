"""Idents of the tools of `internal`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.load_skill import LoadSkillArgs, LoadSkillResult
    from .types.recall_memory import RecallMemoryArgs, RecallMemoryResult

LOAD_SKILL: Final[Ident[LoadSkillArgs, LoadSkillResult]] = Ident("internal.load_skill")
"""Load the instructions of a skill into the context."""

RECALL_MEMORY: Final[Ident[RecallMemoryArgs, RecallMemoryResult]] = Ident("internal.recall_memory")
"""Bring the long-term memories that fit some words into the context, the best first."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    LOAD_SKILL,
    RECALL_MEMORY,
)
"""Every tool of this toolset."""
