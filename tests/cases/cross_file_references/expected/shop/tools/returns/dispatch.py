"""What runs the tools of `shop.returns`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.accept import AcceptArgs, AcceptResult


class Handlers(Protocol):
    """One method for each tool of `shop.returns`, sync or async."""

    def accept(self, args: AcceptArgs, meta: ToolCallMeta, /) -> Returns[AcceptResult]:
        """Take an order back."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.returns",
        handlers={
            idents.ACCEPT: handlers.accept,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.returns",
        executor=executor,
    )
