"""Codecs of `code`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.fetch import FetchArgs, FetchResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run import RunArgs, RunResult

EDIT_FILE_ARGS: Final[Codec[EditFileArgs]] = Codec.of_package(PACKAGE, "code.edit_file", "args")
EDIT_FILE_RESULT: Final[Codec[EditFileResult]] = Codec.of_package(PACKAGE, "code.edit_file", "result")
FETCH_ARGS: Final[Codec[FetchArgs]] = Codec.of_package(PACKAGE, "code.fetch", "args")
FETCH_RESULT: Final[Codec[FetchResult]] = Codec.of_package(PACKAGE, "code.fetch", "result")
READ_FILE_ARGS: Final[Codec[ReadFileArgs]] = Codec.of_package(PACKAGE, "code.read_file", "args")
READ_FILE_RESULT: Final[Codec[ReadFileResult]] = Codec.of_package(PACKAGE, "code.read_file", "result")
RUN_ARGS: Final[Codec[RunArgs]] = Codec.of_package(PACKAGE, "code.run", "args")
RUN_RESULT: Final[Codec[RunResult]] = Codec.of_package(PACKAGE, "code.run", "result")
