"""Types of the tool `drop_server`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DropServerArgs(ClosedModel):
    """Args of `drop_server`: Remove an installed server."""

    server: str


DropServerResult: TypeAlias = JsonValue
