"""What runs the tools of `code`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.fetch import FetchArgs, FetchResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run import RunArgs, RunResult


class Handlers(Protocol):
    """One method for each tool of `code`, sync or async."""

    def edit_file(self, args: EditFileArgs, meta: ToolCallMeta, /) -> Returns[EditFileResult]:
        """Edit a file."""
        ...

    def fetch(self, args: FetchArgs, meta: ToolCallMeta, /) -> Returns[FetchResult]:
        """Fetch a page."""
        ...

    def read_file(self, args: ReadFileArgs, meta: ToolCallMeta, /) -> Returns[ReadFileResult]:
        """Read a file."""
        ...

    def run(self, args: RunArgs, meta: ToolCallMeta, /) -> Returns[RunResult]:
        """Run a program."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="code",
        handlers={
            idents.EDIT_FILE: handlers.edit_file,
            idents.FETCH: handlers.fetch,
            idents.READ_FILE: handlers.read_file,
            idents.RUN: handlers.run,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="code",
        executor=executor,
    )
