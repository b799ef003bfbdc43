"""Idents of the tools of `bot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.claim import ClaimArgs, ClaimResult
    from .types.learning import LearningArgs, LearningResult
    from .types.research import ResearchArgs, ResearchResult

CLAIM: Final[Ident[ClaimArgs, ClaimResult]] = Ident("bot.claim")
"""Make a claim."""

LEARNING: Final[Ident[LearningArgs, LearningResult]] = Ident("bot.learning")
"""Remember something."""

RESEARCH: Final[Ident[ResearchArgs, ResearchResult]] = Ident("bot.research")
"""Look something up."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CLAIM,
    LEARNING,
    RESEARCH,
)
"""Every tool of this toolset."""
