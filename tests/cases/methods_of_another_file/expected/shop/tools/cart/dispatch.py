"""What runs the tools of `shop.cart`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.binding import bound
from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.add import AddArgs, AddResult
    from .types.methods import AddItemMethodResult, AddItemPayload


class Handlers(Protocol):
    """One method for each tool of `shop.cart`, sync or async."""

    def add(self, args: AddArgs, meta: ToolCallMeta, /) -> Returns[AddResult]:
        """Add an item."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.cart",
        handlers={
            idents.ADD: handlers.add,
        },
    )


class ServiceMethods(Protocol):
    """The methods that the tools of this toolset are bound to, sync or async."""

    def add_item(self, payload: AddItemPayload, /) -> AddItemMethodResult | Awaitable[AddItemMethodResult]: ...


def executor_from(service: ServiceMethods) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `service` that they are bound to."""
    from . import transforms

    return ToolsetRegistration(
        toolset="shop.cart",
        handlers={
            idents.ADD: bound(service.add_item, transforms.to_method_payload_add, transforms.to_tool_return_add, {}),
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.cart",
        executor=executor,
    )
