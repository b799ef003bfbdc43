"""Installed MCP servers: the commands that start them, kept in a file, and calls of their tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specs.examples.router.handlers.mcp_session import open_session
from specs.examples.router.handlers.refusals import not_found, rejected

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from specs.examples.router.handlers.mcp_session import McpTool


class Servers:
    """The servers in a file of JSON: name to the command. A server runs for as long as something is asked of it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def names(self) -> list[str]:
        """List the installed servers, sorted."""
        return sorted(self._read())

    def add(self, name: str, argv: Sequence[str]) -> None:
        """Note a server. Raises `CallFailed` with `name_taken` where another one has its name."""
        servers = self._read()
        if servers.setdefault(name, list(argv)) != list(argv):
            raise rejected("name_taken", f"another server is installed as {name!r}", "drop it first")
        self._write(servers)

    async def install(self, name: str, argv: Sequence[str]) -> int:
        """Start a server and, if it answers, note it. Give the number of its tools.

        Raises what `add` and `open_session` raise.
        """
        async with open_session(argv) as session:
            tools = await session.tools()
        self.add(name, argv)
        return len(tools)

    def drop(self, name: str) -> None:
        """Remove a server. Raises `CallFailed` with `server_not_found`."""
        self._argv(name)
        self._write({each: argv for each, argv in self._read().items() if each != name})

    async def tools(self, server: str) -> list[McpTool]:
        """List the tools of a server. Raises `CallFailed`: `server_not_found`, and what `open_session` raises."""
        async with open_session(self._argv(server)) as session:
            return await session.tools()

    async def call(self, server: str, tool: str, args: dict[str, JsonValue]) -> JsonValue:
        """Call a tool of a server.

        Raises `CallFailed`: `server_not_found`, `tool_not_found`, and what `open_session` and `McpSession.call` raise.
        """
        async with open_session(self._argv(server)) as session:
            names = [each.name for each in await session.tools()]
            if tool not in names:
                raise not_found("tool", tool, names)
            return await session.call(tool, args)

    def _argv(self, name: str) -> list[str]:
        servers = self._read()
        if name not in servers:
            raise not_found("server", name, servers)
        return servers[name]

    def _read(self) -> dict[str, list[str]]:
        if not self._file.exists():
            return {}
        servers: dict[str, list[str]] = json.loads(self._file.read_text(encoding="utf-8"))
        return servers

    def _write(self, servers: dict[str, list[str]]) -> None:
        self._file.write_text(json.dumps(servers, indent=2), encoding="utf-8")
