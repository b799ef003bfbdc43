"""What runs the tools of `payments`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.batch import BatchArgs, BatchResult
    from .types.pay import PayArgs, PayResult


class Handlers(Protocol):
    """One method for each tool of `payments`, sync or async."""

    def batch(self, args: BatchArgs, meta: ToolCallMeta, /) -> Returns[BatchResult]:
        """The same inside an array."""
        ...

    def pay(self, args: PayArgs, meta: ToolCallMeta, /) -> Returns[PayResult]:
        """A card needs its code; an invoice needs an address of at least three characters."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="payments",
        handlers={
            idents.BATCH: handlers.batch,
            idents.PAY: handlers.pay,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="payments",
        executor=executor,
    )
