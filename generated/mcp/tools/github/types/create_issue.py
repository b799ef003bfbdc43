"""Types of the tool `create_issue`, in `mcp.github`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class CreateIssueArgs(ClosedModel):
    """Args of `create_issue`: Open an issue."""

    owner: str
    repo: str
    title: str
    body: str | None = None
    labels: list[str] | None = None


class CreateIssueResult(ClosedModel):
    """Result of `create_issue`: Open an issue."""

    number: int
    url: str
