"""`bot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.claim import ClaimArgs as ClaimArgs, ClaimResult as ClaimResult
    from .types.learning import LearningArgs as LearningArgs, LearningResult as LearningResult
    from .types.research import ResearchArgs as ResearchArgs, ResearchResult as ResearchResult
    from . import codecs as codecs
    from .calls import (
        new_claim_call as new_claim_call,
        new_learning_call as new_learning_call,
        new_research_call as new_research_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CLAIM as CLAIM, LEARNING as LEARNING, RESEARCH as RESEARCH
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CLAIM": ".idents",
            "ClaimArgs": ".types.claim",
            "ClaimResult": ".types.claim",
            "Handlers": ".dispatch",
            "LEARNING": ".idents",
            "LearningArgs": ".types.learning",
            "LearningResult": ".types.learning",
            "RESEARCH": ".idents",
            "ResearchArgs": ".types.research",
            "ResearchResult": ".types.research",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_claim_call": ".calls",
            "new_learning_call": ".calls",
            "new_registration": ".dispatch",
            "new_research_call": ".calls",
        },
    )
