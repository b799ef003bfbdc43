"""Types of the tool `list_servers`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class ListServersArgs(ClosedModel):
    """Args of `list_servers`: List installed servers."""


ListServersResult: TypeAlias = list[str]
