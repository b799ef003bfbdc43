"""What runs the tools of `drafts.four`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.bounds import BoundsArgs, BoundsResult


class Handlers(Protocol):
    """One method for each tool of `drafts.four`, sync or async."""

    def bounds(self, args: BoundsArgs, meta: ToolCallMeta, /) -> Returns[BoundsResult]:
        """In draft-04 an exclusive bound is a truth value beside the bound."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="drafts.four",
        handlers={
            idents.BOUNDS: handlers.bounds,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="drafts.four",
        executor=executor,
    )
