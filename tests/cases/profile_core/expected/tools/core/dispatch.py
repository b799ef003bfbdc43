"""What runs the tools of `core`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.everything import EverythingArgs, EverythingResult


class Handlers(Protocol):
    """One method for each tool of `core`, sync or async."""

    def everything(self, args: EverythingArgs, meta: ToolCallMeta, /) -> Returns[EverythingResult]:
        """Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="core",
        handlers={
            idents.EVERYTHING: handlers.everything,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="core",
        executor=executor,
    )
