"""What runs the tools of `mail`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.send import SendArgs, SendResult


class Handlers(Protocol):
    """One method for each tool of `mail`, sync or async."""

    def send(self, args: SendArgs, meta: ToolCallMeta, /) -> Returns[SendResult]:
        """Send mail."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mail",
        handlers={
            idents.SEND: handlers.send,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mail",
        executor=executor,
    )
