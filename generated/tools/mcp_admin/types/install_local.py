"""Types of the tool `install_local`, in `mcp_admin`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Installed


class InstallLocalArgs(ClosedModel):
    """Args of `install_local`: Register a local command as a server."""

    name: Annotated[str, Field(max_length=64)]
    argv: Annotated[list[str], Field(min_length=1)]
    """The program and its arguments, one each. It has to speak MCP on stdin and stdout."""


InstallLocalResult: TypeAlias = Installed
