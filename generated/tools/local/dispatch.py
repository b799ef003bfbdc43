"""What runs the tools of `local`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.git_grep_log import GitGrepLogArgs, GitGrepLogResult


class Handlers(Protocol):
    """One method for each tool of `local`, sync or async."""

    def count_lines(self, args: CountLinesArgs, meta: ToolCallMeta, /) -> Returns[CountLinesResult]:
        """Count the lines of a file that match a pattern."""
        ...

    def git_grep_log(self, args: GitGrepLogArgs, meta: ToolCallMeta, /) -> Returns[GitGrepLogResult]:
        """Find commits whose message contains a word, newest first."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="local",
        handlers={
            idents.COUNT_LINES: handlers.count_lines,
            idents.GIT_GREP_LOG: handlers.git_grep_log,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="local",
        executor=executor,
    )
