"""What runs the tools of `addresses`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.move import MoveArgs, MoveResult


class Handlers(Protocol):
    """One method for each tool of `addresses`, sync or async."""

    def move(self, args: MoveArgs, meta: ToolCallMeta, /) -> Returns[MoveResult]:
        """Fields and types of the same names."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="addresses",
        handlers={
            idents.MOVE: handlers.move,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="addresses",
        executor=executor,
    )
