"""Types of the tool `create_issue`, in `mcp.github`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class CreateIssueArgs(ClosedModel):
    """Args of `create_issue`: Open an issue."""

    owner: str
    repo: str
    title: Annotated[str, Field(min_length=1)]
    body: str | None = None
    labels: list[str] | None = None


class CreateIssueResult(ClosedModel):
    """Result of `create_issue`: Open an issue."""

    number: int
    url: str
