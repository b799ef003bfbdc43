"""Types of the tool `install_registry`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class InstallRegistryArgs(ClosedModel):
    """Args of `install_registry`: Install a server of the registry into this project."""

    name: str
    version: str | None = None


InstallRegistryResult: TypeAlias = JsonValue
