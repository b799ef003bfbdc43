"""What runs the tools of `lab.files`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.read import ReadArgs, ReadResult
    from .types.write import WriteArgs, WriteResult


class Handlers(Protocol):
    """One method for each tool of `lab.files`, sync or async."""

    def read(self, args: ReadArgs, meta: ToolCallMeta, /) -> Returns[ReadResult]:
        """Read a file."""
        ...

    def write(self, args: WriteArgs, meta: ToolCallMeta, /) -> Returns[WriteResult]:
        """Write a file."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="lab.files",
        handlers={
            idents.READ: handlers.read,
            idents.WRITE: handlers.write,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="lab.files",
        executor=executor,
    )
