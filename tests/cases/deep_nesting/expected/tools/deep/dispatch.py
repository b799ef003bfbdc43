"""What runs the tools of `deep`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.raw import RawArgs, RawResult
    from .types.short import ShortArgs, ShortResult


class Handlers(Protocol):
    """One method for each tool of `deep`, sync or async."""

    def raw(self, args: RawArgs, meta: ToolCallMeta, /) -> Returns[RawResult]:
        """In JSON Schema."""
        ...

    def short(self, args: ShortArgs, meta: ToolCallMeta, /) -> Returns[ShortResult]:
        """In the short form."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="deep",
        handlers={
            idents.RAW: handlers.raw,
            idents.SHORT: handlers.short,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="deep",
        executor=executor,
    )
