"""What runs the tools of `bot`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.claim import ClaimArgs, ClaimResult
    from .types.learning import LearningArgs, LearningResult
    from .types.research import ResearchArgs, ResearchResult


class Handlers(Protocol):
    """One method for each tool of `bot`, sync or async."""

    def claim(self, args: ClaimArgs, meta: ToolCallMeta, /) -> Returns[ClaimResult]:
        """Make a claim."""
        ...

    def learning(self, args: LearningArgs, meta: ToolCallMeta, /) -> Returns[LearningResult]:
        """Remember something."""
        ...

    def research(self, args: ResearchArgs, meta: ToolCallMeta, /) -> Returns[ResearchResult]:
        """Look something up."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="bot",
        handlers={
            idents.CLAIM: handlers.claim,
            idents.LEARNING: handlers.learning,
            idents.RESEARCH: handlers.research,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="bot",
        executor=executor,
    )
