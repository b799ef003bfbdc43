"""What runs the tools of `code`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.list_dir import ListDirArgs, ListDirResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run_command import RunCommandArgs, RunCommandResult
    from .types.search import SearchArgs, SearchResult
    from .types.write_file import WriteFileArgs, WriteFileResult


class Handlers(Protocol):
    """One method for each tool of `code`, sync or async."""

    def edit_file(self, args: EditFileArgs, meta: ToolCallMeta, /) -> Returns[EditFileResult]:
        """Change parts of one file, by exact replacements or by a unified diff."""
        ...

    def list_dir(self, args: ListDirArgs, meta: ToolCallMeta, /) -> Returns[ListDirResult]:
        """List a directory."""
        ...

    def read_file(self, args: ReadFileArgs, meta: ToolCallMeta, /) -> Returns[ReadFileResult]:
        """Read a text file by lines."""
        ...

    def run_command(self, args: RunCommandArgs, meta: ToolCallMeta, /) -> Returns[RunCommandResult]:
        """Run a program without a shell."""
        ...

    def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Returns[SearchResult]:
        """Search file contents with a regular expression."""
        ...

    def write_file(self, args: WriteFileArgs, meta: ToolCallMeta, /) -> Returns[WriteFileResult]:
        """Write a whole file. An existing file is kept unless `overwrite` is true."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="code",
        handlers={
            idents.EDIT_FILE: handlers.edit_file,
            idents.LIST_DIR: handlers.list_dir,
            idents.READ_FILE: handlers.read_file,
            idents.RUN_COMMAND: handlers.run_command,
            idents.SEARCH: handlers.search,
            idents.WRITE_FILE: handlers.write_file,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="code",
        executor=executor,
    )
