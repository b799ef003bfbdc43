"""Types of the tool `fetch`, in `code`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class FetchArgs(ClosedModel):
    """Args of `fetch`: Fetch a page."""

    url: str


FetchResult: TypeAlias = JsonValue
