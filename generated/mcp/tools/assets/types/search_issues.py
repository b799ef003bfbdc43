"""Types of the tool `search_issues`, in `mcp.assets`."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class SearchIssuesArgs(OpenModel):
    """Args of `search_issues`: Search issues."""

    query: str
    state: Literal["open", "closed", "all"] = "open"


class SearchIssuesResult(OpenModel):
    """Result of `search_issues`: Search issues."""

    items: list[dict[str, JsonValue]]
