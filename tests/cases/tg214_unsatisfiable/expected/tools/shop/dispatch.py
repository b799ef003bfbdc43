"""What runs the tools of `shop`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.bounds import BoundsArgs, BoundsResult
    from .types.enum import EnumArgs, EnumResult
    from .types.refused import RefusedArgs, RefusedResult
    from .types.required import RequiredArgs, RequiredResult
    from .types.sizes import SizesArgs, SizesResult


class Handlers(Protocol):
    """One method for each tool of `shop`, sync or async."""

    def bounds(self, args: BoundsArgs, meta: ToolCallMeta, /) -> Returns[BoundsResult]:
        """Bounds that cross."""
        ...

    def enum(self, args: EnumArgs, meta: ToolCallMeta, /) -> Returns[EnumResult]:
        """A choice between nothing."""
        ...

    def refused(self, args: RefusedArgs, meta: ToolCallMeta, /) -> Returns[RefusedResult]:
        """A field that is required and refused."""
        ...

    def required(self, args: RequiredArgs, meta: ToolCallMeta, /) -> Returns[RequiredResult]:
        """A field that is required and not allowed."""
        ...

    def sizes(self, args: SizesArgs, meta: ToolCallMeta, /) -> Returns[SizesResult]:
        """Sizes that cross."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop",
        handlers={
            idents.BOUNDS: handlers.bounds,
            idents.ENUM: handlers.enum,
            idents.REFUSED: handlers.refused,
            idents.REQUIRED: handlers.required,
            idents.SIZES: handlers.sizes,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop",
        executor=executor,
    )
