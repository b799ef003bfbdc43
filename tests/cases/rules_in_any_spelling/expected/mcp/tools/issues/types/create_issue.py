"""Types of the tool `create_issue`, in `mcp.issues`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CreateIssueArgs(ClosedModel):
    """Args of `create_issue`: Create an issue."""


CreateIssueResult: TypeAlias = JsonValue
