"""What runs the tools of `search`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.ask import AskArgs, AskResult


class Handlers(Protocol):
    """One method for each tool of `search`, sync or async."""

    def ask(self, args: AskArgs, meta: ToolCallMeta, /) -> Returns[AskResult]:
        """Ask a question."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="search",
        handlers={
            idents.ASK: handlers.ask,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="search",
        executor=executor,
    )
