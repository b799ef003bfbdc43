"""Types of the tool `search_issues`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SearchIssuesArgs(ClosedModel):
    """Args of `search_issues`: Dots."""


SearchIssuesResult: TypeAlias = JsonValue
