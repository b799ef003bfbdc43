"""What runs the tools of `vault`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.nobody import NobodyArgs, NobodyResult
    from .types.one_of_two import OneOfTwoArgs, OneOfTwoResult
    from .types.store import StoreArgs, StoreResult


class Handlers(Protocol):
    """One method for each tool of `vault`, sync or async."""

    def nobody(self, args: NobodyArgs, meta: ToolCallMeta, /) -> Returns[NobodyResult]:
        """For no role at all."""
        ...

    def one_of_two(self, args: OneOfTwoArgs, meta: ToolCallMeta, /) -> Returns[OneOfTwoResult]:
        """A choice beside one that is there already."""
        ...

    def store(self, args: StoreArgs, meta: ToolCallMeta, /) -> Returns[StoreResult]:
        """Store a secret under a name."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="vault",
        handlers={
            idents.NOBODY: handlers.nobody,
            idents.ONE_OF_TWO: handlers.one_of_two,
            idents.STORE: handlers.store,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="vault",
        executor=executor,
    )
