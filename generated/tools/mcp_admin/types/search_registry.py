"""Types of the tool `search_registry`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class SearchRegistryArgs(ClosedModel):
    """Args of `search_registry`: Search the official MCP registry for servers."""

    query: str


class SearchRegistryResultItem(ClosedModel):
    name: str
    description: str


SearchRegistryResult: TypeAlias = list[SearchRegistryResultItem]
