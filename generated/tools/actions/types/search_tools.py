"""Types of the tool `search_tools`, in `actions`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class SearchToolsArgs(ClosedModel):
    """Args of `search_tools`: Search tools by what they do. Those found can be called from the next step on."""

    query: str
    """What is to be done, in a few words."""
    limit: Annotated[int, Field(ge=1, le=20)] = 8


class SearchToolsResultToolsItem(ClosedModel):
    name: str
    description: str


class SearchToolsResult(ClosedModel):
    """Result of `search_tools`: Search tools by what they do. Those found can be called from the next step on."""

    tools: list[SearchToolsResultToolsItem]
