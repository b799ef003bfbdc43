"""What runs the tools of `names`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.order import OrderArgs, OrderResult
    from .types.order_args import OrderArgsArgs, OrderArgsResult
    from .types.order_result import OrderResultArgs, OrderResultResult
    from .types.shared_twice import SharedTwiceArgs, SharedTwiceResult


class Handlers(Protocol):
    """One method for each tool of `names`, sync or async."""

    def order(self, args: OrderArgs, meta: ToolCallMeta, /) -> Returns[OrderResult]:
        """Its field `item` would make a class called like a type, its field `args` one called like those of `order_args`."""
        ...

    def order_args(self, args: OrderArgsArgs, meta: ToolCallMeta, /) -> Returns[OrderArgsResult]:
        """Called like a field of the other tool."""
        ...

    def order_result(self, args: OrderResultArgs, meta: ToolCallMeta, /) -> Returns[OrderResultResult]:
        """And once more."""
        ...

    def shared_twice(self, args: SharedTwiceArgs, meta: ToolCallMeta, /) -> Returns[SharedTwiceResult]:
        """Two fields in different places with one name each."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="names",
        handlers={
            idents.ORDER: handlers.order,
            idents.ORDER_ARGS: handlers.order_args,
            idents.ORDER_RESULT: handlers.order_result,
            idents.SHARED_TWICE: handlers.shared_twice,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="names",
        executor=executor,
    )
