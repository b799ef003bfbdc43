"""Types of the tool `create_issue`, in `mcp.github`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class CreateIssueArgs(ClosedModel):
    """Args of `create_issue`: Create an issue."""

    title: str
    labels: list[str] | None = None


class CreateIssueResult(ClosedModel):
    """Result of `create_issue`: Create an issue."""

    number: int
