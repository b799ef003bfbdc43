"""What runs the tools of `shop.orders`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.find import FindArgs, FindResult
    from .types.refund import RefundArgs, RefundResult


class Handlers(Protocol):
    """One method for each tool of `shop.orders`, sync or async."""

    def find(self, args: FindArgs, meta: ToolCallMeta, /) -> Returns[FindResult]:
        """Find orders of a customer, newest first."""
        ...

    def refund(self, args: RefundArgs, meta: ToolCallMeta, /) -> Returns[RefundResult]:
        """Refund an order, or a part of it."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.orders",
        handlers={
            idents.FIND: handlers.find,
            idents.REFUND: handlers.refund,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.orders",
        executor=executor,
    )
