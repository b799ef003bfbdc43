"""Types of the tool `search_actions`, in `actions`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SearchActionsArgs(ClosedModel):
    """Args of `search_actions`: Search actions by what they do. The best come first, with descriptions and input schemas."""

    query: str
    """What is to be done, in a few words."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5


SearchActionsResult: TypeAlias = dict[str, JsonValue]
