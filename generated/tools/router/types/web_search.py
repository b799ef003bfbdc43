"""Types of the tool `web_search`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from ....shared_types import Hit


class WebSearchArgs(ClosedModel):
    """Args of `web_search`: Search the web."""

    query: str
    limit: Annotated[int, Field(ge=1, le=50)] = 10


WebSearchResult: TypeAlias = list[Hit]
