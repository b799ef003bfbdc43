"""What runs the tools of `parts`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.items import ItemsArgs, ItemsResult
    from .types.typed_rest import TypedRestArgs, TypedRestResult
    from .types.whole import WholeArgs, WholeResult


class Handlers(Protocol):
    """One method for each tool of `parts`, sync or async."""

    def items(self, args: ItemsArgs, meta: ToolCallMeta, /) -> Returns[ItemsResult]:
        """Items beyond the described places."""
        ...

    def typed_rest(self, args: TypedRestArgs, meta: ToolCallMeta, /) -> Returns[TypedRestResult]:
        """What no part describes is a number."""
        ...

    def whole(self, args: WholeArgs, meta: ToolCallMeta, /) -> Returns[WholeResult]:
        """Fields of all parts, and no others."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="parts",
        handlers={
            idents.ITEMS: handlers.items,
            idents.TYPED_REST: handlers.typed_rest,
            idents.WHOLE: handlers.whole,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="parts",
        executor=executor,
    )
