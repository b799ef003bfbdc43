"""What runs the tools of `pages`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.free import FreeArgs, FreeResult
    from .types.list_ import ListArgs, ListResult


class Handlers(Protocol):
    """One method for each tool of `pages`, sync or async."""

    def free(self, args: FreeArgs, meta: ToolCallMeta, /) -> Returns[FreeResult]:
        """A result without named fields may have any."""
        ...

    def list(self, args: ListArgs, meta: ToolCallMeta, /) -> Returns[ListResult]:
        """List rows, a page at a time."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="pages",
        handlers={
            idents.FREE: handlers.free,
            idents.LIST: handlers.list,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="pages",
        executor=executor,
    )
