"""What runs the tools of `local`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.from_stdin import FromStdinArgs, FromStdinResult
    from .types.git_log import GitLogArgs, GitLogResult
    from .types.search import SearchArgs, SearchResult


class Handlers(Protocol):
    """One method for each tool of `local`, sync or async."""

    def count_lines(self, args: CountLinesArgs, meta: ToolCallMeta, /) -> Returns[CountLinesResult]:
        """Count the lines of a file."""
        ...

    def from_stdin(self, args: FromStdinArgs, meta: ToolCallMeta, /) -> Returns[FromStdinResult]:
        """All args arrive as JSON anyway."""
        ...

    def git_log(self, args: GitLogArgs, meta: ToolCallMeta, /) -> Returns[GitLogResult]:
        """The log of a branch."""
        ...

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Search text."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="local",
        handlers={
            idents.COUNT_LINES: handlers.count_lines,
            idents.FROM_STDIN: handlers.from_stdin,
            idents.GIT_LOG: handlers.git_log,
            idents.SEARCH: handlers.search,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="local",
        executor=executor,
    )
