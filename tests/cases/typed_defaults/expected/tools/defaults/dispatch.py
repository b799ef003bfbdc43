"""What runs the tools of `defaults`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.draw import DrawArgs, DrawResult


class Handlers(Protocol):
    """One method for each tool of `defaults`, sync or async."""

    def draw(self, args: DrawArgs, meta: ToolCallMeta, /) -> Returns[DrawResult]:
        """Draw something."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="defaults",
        handlers={
            idents.DRAW: handlers.draw,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="defaults",
        executor=executor,
    )
