"""The tool that is called, as a person would write it for msgspec."""

from __future__ import annotations

from typing import Literal

import msgspec


class Filters(msgspec.Struct):
    author: str | None = None
    assignee: str | None = None
    created_after: str | None = None
    min_comments: int = 0


class SearchArgs(msgspec.Struct):
    query: str
    limit: int = 10
    labels: list[str] | None = None
    state: Literal["open", "closed", "all"] = "open"
    filters: Filters | None = None
