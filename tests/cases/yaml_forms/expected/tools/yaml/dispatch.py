"""What runs the tools of `yaml`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.again import AgainArgs, AgainResult
    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.folded import FoldedArgs, FoldedResult


class Handlers(Protocol):
    """One method for each tool of `yaml`, sync or async."""

    def again(self, args: AgainArgs, meta: ToolCallMeta, /) -> Returns[AgainResult]:
        """Block text"""
        ...

    def anchors(self, args: AnchorsArgs, meta: ToolCallMeta, /) -> Returns[AnchorsResult]:
        """Block text"""
        ...

    def folded(self, args: FoldedArgs, meta: ToolCallMeta, /) -> Returns[FoldedResult]:
        """One line of text."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="yaml",
        handlers={
            idents.AGAIN: handlers.again,
            idents.ANCHORS: handlers.anchors,
            idents.FOLDED: handlers.folded,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="yaml",
        executor=executor,
    )
