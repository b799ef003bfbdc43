"""Types of the tool `search_issues`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class SearchIssuesArgs(ClosedModel):
    pass


SearchIssuesResult: TypeAlias = JsonValue
