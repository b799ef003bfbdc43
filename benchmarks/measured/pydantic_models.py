"""The tool that is called, as a person would write it for pydantic."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel
from typing_extensions import TypedDict


class Filters(BaseModel):
    author: str | None = None
    assignee: str | None = None
    created_after: str | None = None
    min_comments: int = 0


class SearchArgs(BaseModel):
    query: str
    limit: int = 10
    labels: list[str] | None = None
    state: Literal["open", "closed", "all"] = "open"
    filters: Filters | None = None


class Item(TypedDict):
    id: int
    title: str


class SearchResult(TypedDict):
    total: int
    items: list[Item]
