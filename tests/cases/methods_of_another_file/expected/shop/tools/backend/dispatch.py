"""What runs the tools of `shop.backend`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.binding import bound
from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.drop import DropArgs, DropResult
    from .types.methods import DropMethodResult, DropPayload


class Handlers(Protocol):
    """One method for each tool of `shop.backend`, sync or async."""

    def drop(self, args: DropArgs, meta: ToolCallMeta, /) -> Returns[DropResult]:
        """Drop an item."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop.backend",
        handlers={
            idents.DROP: handlers.drop,
        },
    )


class ServiceMethods(Protocol):
    """The methods that the tools of this toolset are bound to, sync or async."""

    def drop(self, payload: DropPayload, /) -> DropMethodResult | Awaitable[DropMethodResult]: ...


def executor_from(service: ServiceMethods) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `service` that they are bound to."""
    from . import transforms

    return ToolsetRegistration(
        toolset="shop.backend",
        handlers={
            idents.DROP: bound(service.drop, transforms.to_method_payload_drop, transforms.to_tool_return_drop, {}),
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop.backend",
        executor=executor,
    )
