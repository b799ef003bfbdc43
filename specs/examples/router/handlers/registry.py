"""A registry of MCP servers, as data. It publishes those of `stdio_servers.py`, so nothing is fetched."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from specs.examples.router.handlers.ranking import rank
from specs.examples.router.handlers.refusals import not_found, rejected

_PROGRAM: Final = Path(__file__).with_name("stdio_servers.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A server of the registry. The newest of its `versions` is the last; `packages` are `<source>:<package>`."""

    name: str
    description: str
    versions: tuple[str, ...]
    packages: tuple[str, ...]

    def argv(self, version: str | None = None) -> list[str]:
        """Give the command that starts it; without a version, the newest. Raises `CallFailed`: `version_not_found`."""
        if version not in (None, *self.versions):
            raise not_found("version", version or "", self.versions)
        return [sys.executable, str(_PROGRAM), self.name, version or self.versions[-1]]


REGISTRY: Final = {
    each.name: each
    for each in (
        Published(
            name="time",
            description="Tells the time in any time zone.",
            versions=("1.0", "1.1"),
            packages=("pypi:mcp-server-time", "docker:mcp/time"),
        ),
        Published(
            name="units",
            description="Converts lengths and masses.",
            versions=("0.9",),
            packages=("npm:@mcp/units", "pypi:mcp-server-units"),
        ),
        Published(
            name="text",
            description="Makes names for files and links of titles.",
            versions=("2.0",),
            packages=("github:https://github.example/mcp/text",),
        ),
    )
}


def search(query: str) -> list[Published]:
    """Give the servers that fit a query, the best first."""
    texts = {name: f"{name}\n{server.description}" for name, server in REGISTRY.items()}
    return [REGISTRY[found.key] for found in rank(query, texts, len(texts))]


def published(name: str) -> Published:
    """Give a server by name. Raises `CallFailed` with `server_not_found`."""
    if name not in REGISTRY:
        raise not_found("server", name, REGISTRY)
    return REGISTRY[name]


def packaged(source: str, package: str) -> Published:
    """Give the server in a package. Raises `CallFailed` with `package_not_found`."""
    for server in REGISTRY.values():
        if f"{source}:{package}" in server.packages:
            return server
    raise rejected("package_not_found", f"{source} has no package {package[:64]!r} with a server")
