"""What runs the tools of `trees`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.direct import DirectArgs, DirectResult
    from .types.local import LocalArgs, LocalResult
    from .types.mutual import MutualArgs, MutualResult
    from .types.root import RootArgs, RootResult
    from .types.unions import UnionsArgs, UnionsResult


class Handlers(Protocol):
    """One method for each tool of `trees`, sync or async."""

    def direct(self, args: DirectArgs, meta: ToolCallMeta, /) -> Returns[DirectResult]:
        """A type in itself."""
        ...

    def local(self, args: LocalArgs, meta: ToolCallMeta, /) -> Returns[LocalResult]:
        """A local definition that contains itself."""
        ...

    def mutual(self, args: MutualArgs, meta: ToolCallMeta, /) -> Returns[MutualResult]:
        """Two types in each other."""
        ...

    def root(self, args: RootArgs, meta: ToolCallMeta, /) -> Returns[RootResult]:
        """The args themselves, all the way down."""
        ...

    def unions(self, args: UnionsArgs, meta: ToolCallMeta, /) -> Returns[UnionsResult]:
        """Choices that contain themselves."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="trees",
        handlers={
            idents.DIRECT: handlers.direct,
            idents.LOCAL: handlers.local,
            idents.MUTUAL: handlers.mutual,
            idents.ROOT: handlers.root,
            idents.UNIONS: handlers.unions,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="trees",
        executor=executor,
    )
