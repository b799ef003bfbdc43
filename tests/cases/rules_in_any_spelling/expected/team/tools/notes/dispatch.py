"""What runs the tools of `team.notes`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.add import AddArgs, AddResult
    from .types.drop import DropArgs, DropResult
    from .types.keep import KeepArgs, KeepResult
    from .types.list_all import ListAllArgs, ListAllResult
    from .types.research import ResearchArgs, ResearchResult
    from .types.tell import TellArgs, TellResult


class Handlers(Protocol):
    """One method for each tool of `team.notes`, sync or async."""

    def add(self, args: AddArgs, meta: ToolCallMeta, /) -> Returns[AddResult]:
        """Add a note."""
        ...

    def drop(self, args: DropArgs, meta: ToolCallMeta, /) -> Returns[DropResult]:
        """Drop a note."""
        ...

    def keep(self, args: KeepArgs, meta: ToolCallMeta, /) -> Returns[KeepResult]:
        """Keep a note."""
        ...

    def list_all(self, args: ListAllArgs, meta: ToolCallMeta, /) -> Returns[ListAllResult]:
        """List notes."""
        ...

    def research(self, args: ResearchArgs, meta: ToolCallMeta, /) -> Returns[ResearchResult]:
        """Look something up."""
        ...

    def tell(self, args: TellArgs, meta: ToolCallMeta, /) -> Returns[TellResult]:
        """Tell somebody."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="team.notes",
        handlers={
            idents.ADD: handlers.add,
            idents.DROP: handlers.drop,
            idents.KEEP: handlers.keep,
            idents.LIST_ALL: handlers.list_all,
            idents.RESEARCH: handlers.research,
            idents.TELL: handlers.tell,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="team.notes",
        executor=executor,
    )
