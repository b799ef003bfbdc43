"""Types of the tool `list_servers`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class ListServersArgs(ClosedModel):
    pass


ListServersResult: TypeAlias = list[str]
