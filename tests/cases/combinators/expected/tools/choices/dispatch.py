"""What runs the tools of `choices`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.all_of import AllOfArgs, AllOfResult
    from .types.any_of import AnyOfArgs, AnyOfResult
    from .types.at_the_root import AtTheRootArgs, AtTheRootResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing_like import NothingLikeArgs, NothingLikeResult
    from .types.one_of import OneOfArgs, OneOfResult


class Handlers(Protocol):
    """One method for each tool of `choices`, sync or async."""

    def all_of(self, args: AllOfArgs, meta: ToolCallMeta, /) -> Returns[AllOfResult]:
        """Everything at once."""
        ...

    def any_of(self, args: AnyOfArgs, meta: ToolCallMeta, /) -> Returns[AnyOfResult]:
        """One of several kinds."""
        ...

    def at_the_root(self, args: AtTheRootArgs, meta: ToolCallMeta, /) -> Returns[AtTheRootResult]:
        """A choice of whole objects."""
        ...

    def nested(self, args: NestedArgs, meta: ToolCallMeta, /) -> Returns[NestedResult]:
        """Combinators in combinators."""
        ...

    def nothing_like(self, args: NothingLikeArgs, meta: ToolCallMeta, /) -> Returns[NothingLikeResult]:
        """Anything but."""
        ...

    def one_of(self, args: OneOfArgs, meta: ToolCallMeta, /) -> Returns[OneOfResult]:
        """Exactly one of several."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="choices",
        handlers={
            idents.ALL_OF: handlers.all_of,
            idents.ANY_OF: handlers.any_of,
            idents.AT_THE_ROOT: handlers.at_the_root,
            idents.NESTED: handlers.nested,
            idents.NOTHING_LIKE: handlers.nothing_like,
            idents.ONE_OF: handlers.one_of,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="choices",
        executor=executor,
    )
