"""What runs the tools of `odd`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.published import PublishedArgs, PublishedResult
    from .types.renamed import RenamedArgs, RenamedResult


class Handlers(Protocol):
    """One method for each tool of `odd`, sync or async."""

    def published(self, args: PublishedArgs, meta: ToolCallMeta, /) -> Returns[PublishedResult]:
        """Names found in published tools."""
        ...

    def renamed(self, args: RenamedArgs, meta: ToolCallMeta, /) -> Returns[RenamedResult]:
        """Names that would meet in Python are told apart by `rename`."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="odd",
        handlers={
            idents.PUBLISHED: handlers.published,
            idents.RENAMED: handlers.renamed,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="odd",
        executor=executor,
    )
