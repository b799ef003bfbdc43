"""Types that several tools share, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class Installed(ClosedModel):
    server: str
    tools: int


ServerName: TypeAlias = str
