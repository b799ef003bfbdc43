"""What runs the tools of `shop`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.add import AddArgs, AddResult


class Handlers(Protocol):
    """One method for each tool of `shop`, sync or async."""

    def add(self, args: AddArgs, meta: ToolCallMeta, /) -> Returns[AddResult]:
        """A spec in JSON says the same as one in YAML."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="shop",
        handlers={
            idents.ADD: handlers.add,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="shop",
        executor=executor,
    )
