"""What runs the tools of `shop.orders`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.list_ import ListArgs, ListResult
    from .types.place import PlaceArgs, PlaceResult


class Handlers(Protocol):
    """One method for each tool of `shop.orders`, sync or async."""

    def list(self, args: ListArgs, meta: ToolCallMeta, /) -> Returns[ListResult]:
        """List orders."""
        ...

    def place(self, args: PlaceArgs, meta: ToolCallMeta, /) -> Returns[PlaceResult]:
        """Place an order."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.orders",
        handlers={
            idents.LIST: handlers.list,
            idents.PLACE: handlers.place,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.orders",
        executor=executor,
    )
