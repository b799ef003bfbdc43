"""Codecs of `code`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.list_dir import ListDirArgs, ListDirResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run_command import RunCommandArgs, RunCommandResult
    from .types.search import SearchArgs, SearchResult
    from .types.write_file import WriteFileArgs, WriteFileResult

EDIT_FILE_ARGS: Final[Codec[EditFileArgs]] = Codec.of_package(PACKAGE, "code.edit_file", "args")
EDIT_FILE_RESULT: Final[Codec[EditFileResult]] = Codec.of_package(PACKAGE, "code.edit_file", "result")
LIST_DIR_ARGS: Final[Codec[ListDirArgs]] = Codec.of_package(PACKAGE, "code.list_dir", "args")
LIST_DIR_RESULT: Final[Codec[ListDirResult]] = Codec.of_package(PACKAGE, "code.list_dir", "result")
READ_FILE_ARGS: Final[Codec[ReadFileArgs]] = Codec.of_package(PACKAGE, "code.read_file", "args")
READ_FILE_RESULT: Final[Codec[ReadFileResult]] = Codec.of_package(PACKAGE, "code.read_file", "result")
RUN_COMMAND_ARGS: Final[Codec[RunCommandArgs]] = Codec.of_package(PACKAGE, "code.run_command", "args")
RUN_COMMAND_RESULT: Final[Codec[RunCommandResult]] = Codec.of_package(PACKAGE, "code.run_command", "result")
SEARCH_ARGS: Final[Codec[SearchArgs]] = Codec.of_package(PACKAGE, "code.search", "args")
SEARCH_RESULT: Final[Codec[SearchResult]] = Codec.of_package(PACKAGE, "code.search", "result")
WRITE_FILE_ARGS: Final[Codec[WriteFileArgs]] = Codec.of_package(PACKAGE, "code.write_file", "args")
WRITE_FILE_RESULT: Final[Codec[WriteFileResult]] = Codec.of_package(PACKAGE, "code.write_file", "result")
