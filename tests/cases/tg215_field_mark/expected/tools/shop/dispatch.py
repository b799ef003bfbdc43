"""What runs the tools of `shop`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.alone import AloneArgs, AloneResult
    from .types.inside import InsideArgs, InsideResult
    from .types.meant import MeantArgs, MeantResult
    from .types.twice import TwiceArgs, TwiceResult


class Handlers(Protocol):
    """One method for each tool of `shop`, sync or async."""

    def alone(self, args: AloneArgs, meta: ToolCallMeta, /) -> Returns[AloneResult]:
        """A mark alone."""
        ...

    def inside(self, args: InsideArgs, meta: ToolCallMeta, /) -> Returns[InsideResult]:
        """Marks inside JSON Schema."""
        ...

    def meant(self, args: MeantArgs, meta: ToolCallMeta, /) -> Returns[MeantResult]:
        """Names that end in a mark."""
        ...

    def twice(self, args: TwiceArgs, meta: ToolCallMeta, /) -> Returns[TwiceResult]:
        """Two marks."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop",
        handlers={
            idents.ALONE: handlers.alone,
            idents.INSIDE: handlers.inside,
            idents.MEANT: handlers.meant,
            idents.TWICE: handlers.twice,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop",
        executor=executor,
    )
