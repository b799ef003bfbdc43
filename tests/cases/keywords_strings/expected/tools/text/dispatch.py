"""What runs the tools of `text`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.bounds import BoundsArgs, BoundsResult
    from .types.content import ContentArgs, ContentResult
    from .types.typeless import TypelessArgs, TypelessResult


class Handlers(Protocol):
    """One method for each tool of `text`, sync or async."""

    def bounds(self, args: BoundsArgs, meta: ToolCallMeta, /) -> Returns[BoundsResult]:
        """Length and pattern."""
        ...

    def content(self, args: ContentArgs, meta: ToolCallMeta, /) -> Returns[ContentResult]:
        """Content keywords annotate and refuse nothing."""
        ...

    def typeless(self, args: TypelessArgs, meta: ToolCallMeta, /) -> Returns[TypelessResult]:
        """Without a type, these keywords say nothing of other values."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="text",
        handlers={
            idents.BOUNDS: handlers.bounds,
            idents.CONTENT: handlers.content,
            idents.TYPELESS: handlers.typeless,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="text",
        executor=executor,
    )
