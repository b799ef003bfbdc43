"""What runs the tools of `forms`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.arrays import ArraysArgs, ArraysResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing import NothingArgs, NothingResult
    from .types.words import WordsArgs, WordsResult


class Handlers(Protocol):
    """One method for each tool of `forms`, sync or async."""

    def arrays(self, args: ArraysArgs, meta: ToolCallMeta, /) -> Returns[ArraysResult]:
        """Arrays of everything."""
        ...

    def nested(self, args: NestedArgs, meta: ToolCallMeta, /) -> Returns[NestedResult]:
        """Fields in fields are objects in objects."""
        ...

    def nothing(self, args: NothingArgs, meta: ToolCallMeta, /) -> Returns[NothingResult]:
        """No args at all, and any result."""
        ...

    def words(self, args: WordsArgs, meta: ToolCallMeta, /) -> Returns[WordsResult]:
        """Every type word."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="forms",
        handlers={
            idents.ARRAYS: handlers.arrays,
            idents.NESTED: handlers.nested,
            idents.NOTHING: handlers.nothing,
            idents.WORDS: handlers.words,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="forms",
        executor=executor,
    )
