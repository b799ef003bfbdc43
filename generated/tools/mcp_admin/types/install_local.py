"""Types of the tool `install_local`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Installed


class InstallLocalArgs(ClosedModel):
    """Args of `install_local`: Register a local command as a server."""

    name: str
    argv: list[str]
    """The program and its arguments, one each. It has to speak MCP on stdin and stdout."""


InstallLocalResult: TypeAlias = Installed
