"""`code`: Files and commands of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.edit_file import (
        EditFileArgs as EditFileArgs,
        EditFileArgsEditsItem as EditFileArgsEditsItem,
        EditFileResult as EditFileResult,
    )
    from .types.list_dir import (
        ListDirArgs as ListDirArgs,
        ListDirResult as ListDirResult,
        ListDirResultEntriesItem as ListDirResultEntriesItem,
    )
    from .types.read_file import ReadFileArgs as ReadFileArgs, ReadFileResult as ReadFileResult
    from .types.run_command import RunCommandArgs as RunCommandArgs, RunCommandResult as RunCommandResult
    from .types.search import (
        SearchArgs as SearchArgs,
        SearchResult as SearchResult,
        SearchResultMatchesItem as SearchResultMatchesItem,
    )
    from .types.write_file import WriteFileArgs as WriteFileArgs, WriteFileResult as WriteFileResult
    from . import codecs as codecs
    from .calls import (
        new_edit_file_call as new_edit_file_call,
        new_list_dir_call as new_list_dir_call,
        new_read_file_call as new_read_file_call,
        new_run_command_call as new_run_command_call,
        new_search_call as new_search_call,
        new_write_file_call as new_write_file_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        EDIT_FILE as EDIT_FILE,
        LIST_DIR as LIST_DIR,
        READ_FILE as READ_FILE,
        RUN_COMMAND as RUN_COMMAND,
        SEARCH as SEARCH,
        WRITE_FILE as WRITE_FILE,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "EDIT_FILE": ".idents",
            "EditFileArgs": ".types.edit_file",
            "EditFileArgsEditsItem": ".types.edit_file",
            "EditFileResult": ".types.edit_file",
            "Handlers": ".dispatch",
            "LIST_DIR": ".idents",
            "ListDirArgs": ".types.list_dir",
            "ListDirResult": ".types.list_dir",
            "ListDirResultEntriesItem": ".types.list_dir",
            "READ_FILE": ".idents",
            "RUN_COMMAND": ".idents",
            "ReadFileArgs": ".types.read_file",
            "ReadFileResult": ".types.read_file",
            "RunCommandArgs": ".types.run_command",
            "RunCommandResult": ".types.run_command",
            "SEARCH": ".idents",
            "SearchArgs": ".types.search",
            "SearchResult": ".types.search",
            "SearchResultMatchesItem": ".types.search",
            "WRITE_FILE": ".idents",
            "WriteFileArgs": ".types.write_file",
            "WriteFileResult": ".types.write_file",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_edit_file_call": ".calls",
            "new_list_dir_call": ".calls",
            "new_read_file_call": ".calls",
            "new_registration": ".dispatch",
            "new_run_command_call": ".calls",
            "new_search_call": ".calls",
            "new_write_file_call": ".calls",
        },
    )
