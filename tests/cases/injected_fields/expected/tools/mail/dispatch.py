"""What runs the tools of `mail`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.closed import ClosedArgs, ClosedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.payload import PayloadArgs, PayloadResult
    from .types.shared_ import SharedArgs, SharedResult
    from .types.whole import WholeArgs, WholeResult


class Handlers(Protocol):
    """One method for each tool of `mail`, sync or async."""

    def closed(self, args: ClosedArgs, meta: ToolCallMeta, /) -> Returns[ClosedResult]:
        """From closed args."""
        ...

    def open(self, args: OpenArgs, meta: ToolCallMeta, /) -> Returns[OpenResult]:
        """From open args."""
        ...

    def payload(self, args: PayloadArgs, meta: ToolCallMeta, /) -> Returns[PayloadResult]:
        """From the payload, though the args are open."""
        ...

    def shared(self, args: SharedArgs, meta: ToolCallMeta, /) -> Returns[SharedResult]:
        """From a type that others use as it is."""
        ...

    def whole(self, args: WholeArgs, meta: ToolCallMeta, /) -> Returns[WholeResult]:
        """The type as it is."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`.

    There is no `executor_from`, which runs tools with the methods that they are bound to:
    - `closed` is bound to no method
    - `open` is bound to no method
    - `shared` is bound to no method
    - `whole` is bound to no method
    """
    return ToolsetRegistration(
        toolset="mail",
        handlers={
            idents.CLOSED: handlers.closed,
            idents.OPEN: handlers.open,
            idents.PAYLOAD: handlers.payload,
            idents.SHARED: handlers.shared,
            idents.WHOLE: handlers.whole,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mail",
        executor=executor,
    )
