"""Types of the tool `web_fetch`, in `router`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class WebFetchArgs(ClosedModel):
    """Args of `web_fetch`: Fetch a page as text."""

    url: str


class WebFetchResult(ClosedModel):
    """Result of `web_fetch`: Fetch a page as text."""

    text: str
    content_type: str
