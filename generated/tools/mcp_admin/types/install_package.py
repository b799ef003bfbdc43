"""Types of the tool `install_package`, in `mcp_admin`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Installed


class InstallPackageArgs(ClosedModel):
    """Args of `install_package`: Install a server from npm, PyPI, Docker or a GitHub URL."""

    source: Literal["npm", "pypi", "docker", "github"]
    package: str


InstallPackageResult: TypeAlias = Installed
