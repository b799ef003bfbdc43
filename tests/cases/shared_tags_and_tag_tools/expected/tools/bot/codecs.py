"""Codecs of `bot`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.claim import ClaimArgs, ClaimResult
    from .types.learning import LearningArgs, LearningResult
    from .types.research import ResearchArgs, ResearchResult

CLAIM_ARGS: Final[Codec[ClaimArgs]] = Codec.of_package(PACKAGE, "bot.claim", "args")
CLAIM_RESULT: Final[Codec[ClaimResult]] = Codec.of_package(PACKAGE, "bot.claim", "result")
LEARNING_ARGS: Final[Codec[LearningArgs]] = Codec.of_package(PACKAGE, "bot.learning", "args")
LEARNING_RESULT: Final[Codec[LearningResult]] = Codec.of_package(PACKAGE, "bot.learning", "result")
RESEARCH_ARGS: Final[Codec[ResearchArgs]] = Codec.of_package(PACKAGE, "bot.research", "args")
RESEARCH_RESULT: Final[Codec[ResearchResult]] = Codec.of_package(PACKAGE, "bot.research", "result")
