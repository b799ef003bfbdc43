"""Types of the tool `content`, in `text`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class ContentArgs(ClosedModel):
    """Args of `content`: Content keywords annotate and refuse nothing."""

    picture: str | None = None
    document: str | None = None


ContentResult: TypeAlias = str
