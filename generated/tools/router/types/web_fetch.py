"""Types of the tool `web_fetch`, in `router`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class WebFetchArgs(ClosedModel):
    url: str


class WebFetchResult(ClosedModel):
    text: str
    content_type: str
