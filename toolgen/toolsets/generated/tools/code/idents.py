"""Idents of the tools of `code`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.list_dir import ListDirArgs, ListDirResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run_command import RunCommandArgs, RunCommandResult
    from .types.search import SearchArgs, SearchResult
    from .types.write_file import WriteFileArgs, WriteFileResult

EDIT_FILE: Final[Ident[EditFileArgs, EditFileResult]] = Ident("code.edit_file")
"""Change parts of one file, by exact replacements or by a unified diff."""

LIST_DIR: Final[Ident[ListDirArgs, ListDirResult]] = Ident("code.list_dir")
"""List a directory."""

READ_FILE: Final[Ident[ReadFileArgs, ReadFileResult]] = Ident("code.read_file")
"""Read a text file by lines."""

RUN_COMMAND: Final[Ident[RunCommandArgs, RunCommandResult]] = Ident("code.run_command")
"""Run a program without a shell."""

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("code.search")
"""Search file contents with a regular expression."""

WRITE_FILE: Final[Ident[WriteFileArgs, WriteFileResult]] = Ident("code.write_file")
"""Write a whole file. An existing file is kept unless `overwrite` is true."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    EDIT_FILE,
    LIST_DIR,
    READ_FILE,
    RUN_COMMAND,
    SEARCH,
    WRITE_FILE,
)
"""Every tool of this toolset."""
