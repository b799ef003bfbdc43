"""What runs the tools of `orchestrator.research`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.search import SearchArgs, SearchResult
    from .types.verify import VerifyArgs, VerifyResult


class Handlers(Protocol):
    """One method for each tool of `orchestrator.research`, sync or async."""

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Research a question and answer it with sources."""
        ...

    def verify(self, args: VerifyArgs, meta: ToolCallMeta, /) -> Returns[VerifyResult]:
        """Check one claim against its sources."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="orchestrator.research",
        handlers={
            idents.SEARCH: handlers.search,
            idents.VERIFY: handlers.verify,
        },
        inline=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="orchestrator.research",
        executor=executor,
        inline=True,
    )
