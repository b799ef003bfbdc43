"""What runs the tools of `mcp_admin`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.call_mcp_tool import CallMcpToolArgs, CallMcpToolResult
    from .types.drop_server import DropServerArgs, DropServerResult
    from .types.install_local import InstallLocalArgs, InstallLocalResult
    from .types.install_package import InstallPackageArgs, InstallPackageResult
    from .types.install_registry import InstallRegistryArgs, InstallRegistryResult
    from .types.list_servers import ListServersArgs, ListServersResult
    from .types.list_tools import ListToolsArgs, ListToolsResult
    from .types.search_registry import SearchRegistryArgs, SearchRegistryResult


class Handlers(Protocol):
    """One method for each tool of `mcp_admin`, sync or async."""

    def call_mcp_tool(self, args: CallMcpToolArgs, meta: ToolCallMeta, /) -> Returns[CallMcpToolResult]:
        """Call a tool of an installed server."""
        ...

    def drop_server(self, args: DropServerArgs, meta: ToolCallMeta, /) -> Returns[DropServerResult]:
        """Remove an installed server."""
        ...

    def install_local(self, args: InstallLocalArgs, meta: ToolCallMeta, /) -> Returns[InstallLocalResult]:
        """Register a local command as a server."""
        ...

    def install_package(self, args: InstallPackageArgs, meta: ToolCallMeta, /) -> Returns[InstallPackageResult]:
        """Install a server from npm, PyPI, Docker or a GitHub URL."""
        ...

    def install_registry(self, args: InstallRegistryArgs, meta: ToolCallMeta, /) -> Returns[InstallRegistryResult]:
        """Install a server of the registry into this project."""
        ...

    def list_servers(self, args: ListServersArgs, meta: ToolCallMeta, /) -> Returns[ListServersResult]:
        """List installed servers."""
        ...

    def list_tools(self, args: ListToolsArgs, meta: ToolCallMeta, /) -> Returns[ListToolsResult]:
        """List the tools of one server."""
        ...

    def search_registry(self, args: SearchRegistryArgs, meta: ToolCallMeta, /) -> Returns[SearchRegistryResult]:
        """Search the official MCP registry for servers."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp_admin",
        handlers={
            idents.CALL_MCP_TOOL: handlers.call_mcp_tool,
            idents.DROP_SERVER: handlers.drop_server,
            idents.INSTALL_LOCAL: handlers.install_local,
            idents.INSTALL_PACKAGE: handlers.install_package,
            idents.INSTALL_REGISTRY: handlers.install_registry,
            idents.LIST_SERVERS: handlers.list_servers,
            idents.LIST_TOOLS: handlers.list_tools,
            idents.SEARCH_REGISTRY: handlers.search_registry,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp_admin",
        executor=executor,
    )
