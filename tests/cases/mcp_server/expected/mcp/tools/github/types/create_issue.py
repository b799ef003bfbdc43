"""Types of the tool `create_issue`, in `mcp.github`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class CreateIssueArgs(ClosedModel):
    title: str
    labels: list[str] | None = None


class CreateIssueResult(ClosedModel):
    number: int
