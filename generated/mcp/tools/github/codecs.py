"""Codecs of `mcp.github`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.create_issue import CreateIssueArgs, CreateIssueResult
    from .types.get_file import GetFileArgs, GetFileResult

CREATE_ISSUE_ARGS: Final[Codec[CreateIssueArgs]] = Codec.of_package(PACKAGE, "mcp.github.create_issue", "args")
CREATE_ISSUE_RESULT: Final[Codec[CreateIssueResult]] = Codec.of_package(PACKAGE, "mcp.github.create_issue", "result")
GET_FILE_ARGS: Final[Codec[GetFileArgs]] = Codec.of_package(PACKAGE, "mcp.github.get_file", "args")
GET_FILE_RESULT: Final[Codec[GetFileResult]] = Codec.of_package(PACKAGE, "mcp.github.get_file", "result")
