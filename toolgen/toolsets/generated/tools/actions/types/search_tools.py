"""Types of the tool `search_tools`, in `actions`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class SearchToolsArgs(ClosedModel):
    """Args of `search_tools`: Search tools by what they do. Those found can be called from the next step on."""

    query: str
    """What is to be done, in a few words."""
    limit: int = 8


class SearchToolsResultToolsItem(ClosedModel):
    name: str
    description: str


class SearchToolsResult(ClosedModel):
    """Result of `search_tools`: Search tools by what they do. Those found can be called from the next step on."""

    tools: list[SearchToolsResultToolsItem]
