"""What runs the tools of `one`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.old import OldArgs, OldResult


class Handlers(Protocol):
    """One method for each tool of `one`, sync or async."""

    def old(self, args: OldArgs, meta: ToolCallMeta, /) -> Returns[OldResult]:
        """The older draft."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="one",
        handlers={
            idents.OLD: handlers.old,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="one",
        executor=executor,
    )
