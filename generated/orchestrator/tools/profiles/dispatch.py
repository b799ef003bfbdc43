"""What runs the tools of `orchestrator.profiles`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.search import SearchArgs, SearchResult
    from .types.upsert import UpsertArgs, UpsertResult


class Handlers(Protocol):
    """One method for each tool of `orchestrator.profiles`, sync or async."""

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Find profiles by name."""
        ...

    def upsert(self, args: UpsertArgs, meta: ToolCallMeta, /) -> Returns[UpsertResult]:
        """Create a profile, or update the one with the same name."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`.

    There is no `executor_from`, which runs tools with the methods that they are bound to:
    - `search` has no transform from its args to the payload of `Find`
    """
    return ToolsetRegistration(
        toolset="orchestrator.profiles",
        handlers={
            idents.SEARCH: handlers.search,
            idents.UPSERT: handlers.upsert,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="orchestrator.profiles",
        executor=executor,
    )
