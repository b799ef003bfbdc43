"""What runs the tools of `sound`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.bounds import BoundsArgs, BoundsResult
    from .types.forbidden import ForbiddenArgs, ForbiddenResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.patterns import PatternsArgs, PatternsResult


class Handlers(Protocol):
    """One method for each tool of `sound`, sync or async."""

    def bounds(self, args: BoundsArgs, meta: ToolCallMeta, /) -> Returns[BoundsResult]:
        """One value."""
        ...

    def forbidden(self, args: ForbiddenArgs, meta: ToolCallMeta, /) -> Returns[ForbiddenResult]:
        """Never both fields."""
        ...

    def open(self, args: OpenArgs, meta: ToolCallMeta, /) -> Returns[OpenResult]:
        """A field that is required and not described."""
        ...

    def patterns(self, args: PatternsArgs, meta: ToolCallMeta, /) -> Returns[PatternsResult]:
        """A field that is described by a pattern."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="sound",
        handlers={
            idents.BOUNDS: handlers.bounds,
            idents.FORBIDDEN: handlers.forbidden,
            idents.OPEN: handlers.open,
            idents.PATTERNS: handlers.patterns,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="sound",
        executor=executor,
    )
