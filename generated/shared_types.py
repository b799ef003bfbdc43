"""Types of shared files, which all toolsets use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Source(ClosedModel):
    url: str
    title: str
    quote: str | None = None


class Hit(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    score: int | float
    text: str
