"""Types of the tool `install_registry`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Installed


class InstallRegistryArgs(ClosedModel):
    """Args of `install_registry`: Install a server of the registry into this project."""

    name: str
    version: str | None = None
    """Left out: the newest."""


InstallRegistryResult: TypeAlias = Installed
