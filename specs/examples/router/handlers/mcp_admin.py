"""What runs the toolset `mcp_admin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generated.tools.mcp_admin import Installed, ListToolsResultItem, SearchRegistryResultItem
from specs.examples.router.handlers.registry import packaged, published, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from generated.tools.mcp_admin import (
        CallMcpToolArgs,
        DropServerArgs,
        InstallLocalArgs,
        InstallPackageArgs,
        InstallRegistryArgs,
        ListServersArgs,
        ListToolsArgs,
        SearchRegistryArgs,
    )
    from specs.examples.router.handlers.servers import Servers
    from toolgen.runtime import ToolCallMeta


class McpAdminTools:
    """The tools of `mcp_admin`, on servers that are kept in a file. What they refuse is a `CallFailed`."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    def search_registry(self, args: SearchRegistryArgs, _meta: ToolCallMeta, /) -> list[SearchRegistryResultItem]:
        """Search the registry for servers."""
        found = search(args.query)
        return [SearchRegistryResultItem(name=server.name, description=server.description) for server in found]

    async def install_registry(self, args: InstallRegistryArgs, _meta: ToolCallMeta, /) -> Installed:
        """Install a server of the registry."""
        server = published(args.name)
        return await self._install(server.name, server.argv(args.version))

    async def install_package(self, args: InstallPackageArgs, _meta: ToolCallMeta, /) -> Installed:
        """Install the server in a package."""
        server = packaged(args.source, args.package)
        return await self._install(server.name, server.argv())

    async def install_local(self, args: InstallLocalArgs, _meta: ToolCallMeta, /) -> Installed:
        """Register a command as a server."""
        return await self._install(args.name, args.argv)

    def list_servers(self, _args: ListServersArgs, _meta: ToolCallMeta, /) -> list[str]:
        """List the installed servers."""
        return self._servers.names()

    async def list_tools(self, args: ListToolsArgs, _meta: ToolCallMeta, /) -> list[ListToolsResultItem]:
        """List the tools of a server, by ids that `call_tool` of the catalog takes: `<server>__<tool>`."""
        tools = await self._servers.tools(args.server)
        return [
            ListToolsResultItem(
                id=f"{args.server}__{tool.name}", description=tool.description, input_schema=tool.input_schema
            )
            for tool in tools
        ]

    async def call_mcp_tool(self, args: CallMcpToolArgs, _meta: ToolCallMeta, /) -> JsonValue:
        """Call a tool of a server."""
        return await self._servers.call(args.server, args.tool, args.args)

    def drop_server(self, args: DropServerArgs, _meta: ToolCallMeta, /) -> None:
        """Remove a server."""
        self._servers.drop(args.server)

    async def _install(self, name: str, argv: Sequence[str]) -> Installed:
        return Installed(server=name, tools=await self._servers.install(name, argv))
