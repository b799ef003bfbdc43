"""Types of the tool `install_local`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class InstallLocalArgs(ClosedModel):
    """Args of `install_local`: Register a local command as a server."""

    name: str
    argv: list[str]


InstallLocalResult: TypeAlias = JsonValue
