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
    from .types.source import SourceArgs, SourceResult
    from .types.summarize import SummarizeArgs, SummarizeResult


class Handlers(Protocol):
    """One method for each tool of `bot`, sync or async."""

    def claim(self, args: ClaimArgs, meta: ToolCallMeta, /) -> Returns[ClaimResult]:
        """Draft a KB claim from a user's assertion."""
        ...

    def learning(self, args: LearningArgs, meta: ToolCallMeta, /) -> Returns[LearningResult]:
        """Record a correction or new fact from conversation."""
        ...

    def research(self, args: ResearchArgs, meta: ToolCallMeta, /) -> Returns[ResearchResult]:
        """Search X for recent posts on a topic. Results sent back to chat."""
        ...

    def source(self, args: SourceArgs, meta: ToolCallMeta, /) -> Returns[SourceResult]:
        """Archive source material contributed by a user."""
        ...

    def summarize(self, args: SummarizeArgs, meta: ToolCallMeta, /) -> Returns[SummarizeResult]:
        """Generate a summary of the current conversation."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="bot",
        handlers={
            idents.CLAIM: handlers.claim,
            idents.LEARNING: handlers.learning,
            idents.RESEARCH: handlers.research,
            idents.SOURCE: handlers.source,
            idents.SUMMARIZE: handlers.summarize,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="bot",
        executor=executor,
    )
