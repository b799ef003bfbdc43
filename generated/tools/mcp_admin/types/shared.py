"""Types that several tools share, in `mcp_admin`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Installed(ClosedModel):
    server: str
    tools: int


ServerName: TypeAlias = Annotated[str, Field(max_length=64)]
