"""What runs the tools of `shop.orders`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.refund import RefundArgs, RefundResult
    from .types.status import StatusArgs, StatusResult


class Handlers(Protocol):
    """One method for each tool of `shop.orders`, sync or async."""

    def refund(self, args: RefundArgs, meta: ToolCallMeta, /) -> Returns[RefundResult]:
        """Give the money back."""
        ...

    def status(self, args: StatusArgs, meta: ToolCallMeta, /) -> Returns[StatusResult]:
        """Ask for the status."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.orders",
        handlers={
            idents.REFUND: handlers.refund,
            idents.STATUS: handlers.status,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.orders",
        executor=executor,
    )
