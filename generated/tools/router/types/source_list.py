"""Types of the tool `source_list`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class SourceListArgs(ClosedModel):
    """Args of `source_list`: List the product's own docs and source."""

    prefix: str | None = None
    """What the paths start with."""


SourceListResult: TypeAlias = list[str]
