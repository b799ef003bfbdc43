"""What runs the tools of `values`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.consts import ConstsArgs, ConstsResult
    from .types.enums import EnumsArgs, EnumsResult


class Handlers(Protocol):
    """One method for each tool of `values`, sync or async."""

    def consts(self, args: ConstsArgs, meta: ToolCallMeta, /) -> Returns[ConstsResult]:
        """One value only."""
        ...

    def enums(self, args: EnumsArgs, meta: ToolCallMeta, /) -> Returns[EnumsResult]:
        """Enumerations of every kind."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="values",
        handlers={
            idents.CONSTS: handlers.consts,
            idents.ENUMS: handlers.enums,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="values",
        executor=executor,
    )
