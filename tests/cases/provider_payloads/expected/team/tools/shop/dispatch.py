"""What runs the tools of `team.shop`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.find import FindArgs, FindResult
    from .types.note import NoteArgs, NoteResult
    from .types.pay import PayArgs, PayResult
    from .types.ping import PingArgs, PingResult


class Handlers(Protocol):
    """One method for each tool of `team.shop`, sync or async."""

    def find(self, args: FindArgs, meta: ToolCallMeta, /) -> Returns[FindResult]:
        """Find articles."""
        ...

    def note(self, args: NoteArgs, meta: ToolCallMeta, /) -> Returns[NoteResult]:
        """Keep anything at all, under a key."""
        ...

    def pay(self, args: PayArgs, meta: ToolCallMeta, /) -> Returns[PayResult]:
        """Pay, by exactly one means."""
        ...

    def ping(self, args: PingArgs, meta: ToolCallMeta, /) -> Returns[PingResult]:
        """Look whether it is open."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="team.shop",
        handlers={
            idents.FIND: handlers.find,
            idents.NOTE: handlers.note,
            idents.PAY: handlers.pay,
            idents.PING: handlers.ping,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="team.shop",
        executor=executor,
    )
