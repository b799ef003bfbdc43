"""`code`, as the agent `default_worker` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from .....tools.code import (
        EDIT_FILE as EDIT_FILE,
        LIST_DIR as LIST_DIR,
        READ_FILE as READ_FILE,
        RUN_COMMAND as RUN_COMMAND,
        SEARCH as SEARCH,
        WRITE_FILE as WRITE_FILE,
        EditFileArgs as EditFileArgs,
        EditFileArgsEditsItem as EditFileArgsEditsItem,
        EditFileResult as EditFileResult,
        Handlers as Handlers,
        ListDirArgs as ListDirArgs,
        ListDirResult as ListDirResult,
        ListDirResultEntriesItem as ListDirResultEntriesItem,
        ReadFileArgs as ReadFileArgs,
        ReadFileResult as ReadFileResult,
        RunCommandArgs as RunCommandArgs,
        RunCommandResult as RunCommandResult,
        SearchArgs as SearchArgs,
        SearchResult as SearchResult,
        SearchResultMatchesItem as SearchResultMatchesItem,
        WriteFileArgs as WriteFileArgs,
        WriteFileResult as WriteFileResult,
        codecs as codecs,
        executor as executor,
        new_edit_file_call as new_edit_file_call,
        new_list_dir_call as new_list_dir_call,
        new_read_file_call as new_read_file_call,
        new_run_command_call as new_run_command_call,
        new_search_call as new_search_call,
        new_write_file_call as new_write_file_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "EDIT_FILE": ".....tools.code",
            "EditFileArgs": ".....tools.code",
            "EditFileArgsEditsItem": ".....tools.code",
            "EditFileResult": ".....tools.code",
            "Handlers": ".....tools.code",
            "LIST_DIR": ".....tools.code",
            "ListDirArgs": ".....tools.code",
            "ListDirResult": ".....tools.code",
            "ListDirResultEntriesItem": ".....tools.code",
            "READ_FILE": ".....tools.code",
            "RUN_COMMAND": ".....tools.code",
            "ReadFileArgs": ".....tools.code",
            "ReadFileResult": ".....tools.code",
            "RunCommandArgs": ".....tools.code",
            "RunCommandResult": ".....tools.code",
            "SEARCH": ".....tools.code",
            "SearchArgs": ".....tools.code",
            "SearchResult": ".....tools.code",
            "SearchResultMatchesItem": ".....tools.code",
            "WRITE_FILE": ".....tools.code",
            "WriteFileArgs": ".....tools.code",
            "WriteFileResult": ".....tools.code",
            "codecs": ".....tools.code",
            "executor": ".....tools.code",
            "new_edit_file_call": ".....tools.code",
            "new_list_dir_call": ".....tools.code",
            "new_read_file_call": ".....tools.code",
            "new_run_command_call": ".....tools.code",
            "new_search_call": ".....tools.code",
            "new_write_file_call": ".....tools.code",
        },
    )


def new_default_worker_code_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `code` for `default_worker` with one executor."""
    from .....tools.code import new_registration

    return new_registration(executor)
