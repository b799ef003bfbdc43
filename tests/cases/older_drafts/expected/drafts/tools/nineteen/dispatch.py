"""What runs the tools of `drafts.nineteen`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.arrays import ArraysArgs, ArraysResult
    from .types.tree import TreeArgs, TreeResult


class Handlers(Protocol):
    """One method for each tool of `drafts.nineteen`, sync or async."""

    def arrays(self, args: ArraysArgs, meta: ToolCallMeta, /) -> Returns[ArraysResult]:
        """Places and the rest."""
        ...

    def tree(self, args: TreeArgs, meta: ToolCallMeta, /) -> Returns[TreeResult]:
        """A schema in itself, by the name that it has wherever it stands."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="drafts.nineteen",
        handlers={
            idents.ARRAYS: handlers.arrays,
            idents.TREE: handlers.tree,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="drafts.nineteen",
        executor=executor,
    )
