"""Types of the tool `search_issues`, in `mcp.assets`."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class SearchIssuesArgs(OpenModel):
    query: str
    state: Literal["open", "closed", "all"] = "open"


class SearchIssuesResult(OpenModel):
    items: list[dict[str, JsonValue]]
