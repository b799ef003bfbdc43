"""Idents of the tools of `bot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.claim import ClaimArgs, ClaimResult
    from .types.learning import LearningArgs, LearningResult
    from .types.research import ResearchArgs, ResearchResult
    from .types.source import SourceArgs, SourceResult
    from .types.summarize import SummarizeArgs, SummarizeResult

CLAIM: Final[Ident[ClaimArgs, ClaimResult]] = Ident("bot.claim")
"""Draft a KB claim from a user's assertion."""

LEARNING: Final[Ident[LearningArgs, LearningResult]] = Ident("bot.learning")
"""Record a correction or new fact from conversation."""

RESEARCH: Final[Ident[ResearchArgs, ResearchResult]] = Ident("bot.research")
"""Search X for recent posts on a topic. Results sent back to chat."""

SOURCE: Final[Ident[SourceArgs, SourceResult]] = Ident("bot.source")
"""Archive source material contributed by a user."""

SUMMARIZE: Final[Ident[SummarizeArgs, SummarizeResult]] = Ident("bot.summarize")
"""Generate a summary of the current conversation."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CLAIM,
    LEARNING,
    RESEARCH,
    SOURCE,
    SUMMARIZE,
)
"""Every tool of this toolset."""
