"""What runs the tools of `nullable`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.set_ import SetArgs, SetResult


class Handlers(Protocol):
    """One method for each tool of `nullable`, sync or async."""

    def set(self, args: SetArgs, meta: ToolCallMeta, /) -> Returns[SetResult]:
        """Null clears, absence keeps."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="nullable",
        handlers={
            idents.SET: handlers.set,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="nullable",
        executor=executor,
    )
