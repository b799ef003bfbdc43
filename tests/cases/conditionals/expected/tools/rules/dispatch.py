"""What runs the tools of `rules`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.alone import AloneArgs, AloneResult
    from .types.chained import ChainedArgs, ChainedResult
    from .types.only_else import OnlyElseArgs, OnlyElseResult
    from .types.only_then import OnlyThenArgs, OnlyThenResult
    from .types.ship import ShipArgs, ShipResult


class Handlers(Protocol):
    """One method for each tool of `rules`, sync or async."""

    def alone(self, args: AloneArgs, meta: ToolCallMeta, /) -> Returns[AloneResult]:
        """An if by itself decides nothing, and neither does a then."""
        ...

    def chained(self, args: ChainedArgs, meta: ToolCallMeta, /) -> Returns[ChainedResult]:
        """One condition in another."""
        ...

    def only_else(self, args: OnlyElseArgs, meta: ToolCallMeta, /) -> Returns[OnlyElseResult]:
        """No then."""
        ...

    def only_then(self, args: OnlyThenArgs, meta: ToolCallMeta, /) -> Returns[OnlyThenResult]:
        """No else."""
        ...

    def ship(self, args: ShipArgs, meta: ToolCallMeta, /) -> Returns[ShipResult]:
        """Abroad needs a country, at home a postcode."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="rules",
        handlers={
            idents.ALONE: handlers.alone,
            idents.CHAINED: handlers.chained,
            idents.ONLY_ELSE: handlers.only_else,
            idents.ONLY_THEN: handlers.only_then,
            idents.SHIP: handlers.ship,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="rules",
        executor=executor,
    )
