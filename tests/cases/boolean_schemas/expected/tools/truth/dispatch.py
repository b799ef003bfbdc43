"""What runs the tools of `truth`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.anything_goes import AnythingGoesArgs, AnythingGoesResult
    from .types.everywhere import EverywhereArgs, EverywhereResult
    from .types.short import ShortArgs, ShortResult


class Handlers(Protocol):
    """One method for each tool of `truth`, sync or async."""

    def anything_goes(self, args: AnythingGoesArgs, meta: ToolCallMeta, /) -> Returns[AnythingGoesResult]:
        """Args that take whatever object comes."""
        ...

    def everywhere(self, args: EverywhereArgs, meta: ToolCallMeta, /) -> Returns[EverywhereResult]:
        """Booleans as schemas."""
        ...

    def short(self, args: ShortArgs, meta: ToolCallMeta, /) -> Returns[ShortResult]:
        """In the short form, and by name."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="truth",
        handlers={
            idents.ANYTHING_GOES: handlers.anything_goes,
            idents.EVERYWHERE: handlers.everywhere,
            idents.SHORT: handlers.short,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="truth",
        executor=executor,
    )
