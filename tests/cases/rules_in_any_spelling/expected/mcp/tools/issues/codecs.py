"""Codecs of `mcp.issues`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.create_issue import CreateIssueArgs, CreateIssueResult

CREATE_ISSUE_ARGS: Final[Codec[CreateIssueArgs]] = Codec.of_package(PACKAGE, "mcp.issues.create_issue", "args")
CREATE_ISSUE_RESULT: Final[Codec[CreateIssueResult]] = Codec.of_package(PACKAGE, "mcp.issues.create_issue", "result")
