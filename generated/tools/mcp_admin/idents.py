"""Idents of the tools of `mcp_admin`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.call_mcp_tool import CallMcpToolArgs, CallMcpToolResult
    from .types.drop_server import DropServerArgs, DropServerResult
    from .types.install_local import InstallLocalArgs, InstallLocalResult
    from .types.install_package import InstallPackageArgs, InstallPackageResult
    from .types.install_registry import InstallRegistryArgs, InstallRegistryResult
    from .types.list_servers import ListServersArgs, ListServersResult
    from .types.list_tools import ListToolsArgs, ListToolsResult
    from .types.search_registry import SearchRegistryArgs, SearchRegistryResult

CALL_MCP_TOOL: Final[Ident[CallMcpToolArgs, CallMcpToolResult]] = Ident("mcp_admin.call_mcp_tool")
"""Call a tool of an installed server."""

DROP_SERVER: Final[Ident[DropServerArgs, DropServerResult]] = Ident("mcp_admin.drop_server")
"""Remove an installed server."""

INSTALL_LOCAL: Final[Ident[InstallLocalArgs, InstallLocalResult]] = Ident("mcp_admin.install_local")
"""Register a local command as a server."""

INSTALL_PACKAGE: Final[Ident[InstallPackageArgs, InstallPackageResult]] = Ident("mcp_admin.install_package")
"""Install a server from npm, PyPI, Docker or a GitHub URL."""

INSTALL_REGISTRY: Final[Ident[InstallRegistryArgs, InstallRegistryResult]] = Ident("mcp_admin.install_registry")
"""Install a server of the registry into this project."""

LIST_SERVERS: Final[Ident[ListServersArgs, ListServersResult]] = Ident("mcp_admin.list_servers")
"""List installed servers."""

LIST_TOOLS: Final[Ident[ListToolsArgs, ListToolsResult]] = Ident("mcp_admin.list_tools")
"""List the tools of one server."""

SEARCH_REGISTRY: Final[Ident[SearchRegistryArgs, SearchRegistryResult]] = Ident("mcp_admin.search_registry")
"""Search the official MCP registry for servers."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CALL_MCP_TOOL,
    DROP_SERVER,
    INSTALL_LOCAL,
    INSTALL_PACKAGE,
    INSTALL_REGISTRY,
    LIST_SERVERS,
    LIST_TOOLS,
    SEARCH_REGISTRY,
)
"""Every tool of this toolset."""
