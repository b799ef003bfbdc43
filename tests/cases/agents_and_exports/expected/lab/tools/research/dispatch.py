"""What runs the tools of `lab.research`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.search import SearchArgs, SearchResult
    from .types.verify import VerifyArgs, VerifyResult


class Handlers(Protocol):
    """One method for each tool of `lab.research`, sync or async."""

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Answer a question with sources."""
        ...

    def verify(self, args: VerifyArgs, meta: ToolCallMeta, /) -> Returns[VerifyResult]:
        """Check a claim."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="lab.research",
        handlers={
            idents.SEARCH: handlers.search,
            idents.VERIFY: handlers.verify,
        },
        inline=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="lab.research",
        executor=executor,
        inline=True,
    )
