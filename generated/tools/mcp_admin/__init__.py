"""`mcp_admin`: Manage MCP servers and call their tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.call_mcp_tool import CallMcpToolArgs as CallMcpToolArgs, CallMcpToolResult as CallMcpToolResult
    from .types.drop_server import DropServerArgs as DropServerArgs, DropServerResult as DropServerResult
    from .types.install_local import InstallLocalArgs as InstallLocalArgs, InstallLocalResult as InstallLocalResult
    from .types.install_package import (
        InstallPackageArgs as InstallPackageArgs,
        InstallPackageResult as InstallPackageResult,
    )
    from .types.install_registry import (
        InstallRegistryArgs as InstallRegistryArgs,
        InstallRegistryResult as InstallRegistryResult,
    )
    from .types.list_servers import ListServersArgs as ListServersArgs, ListServersResult as ListServersResult
    from .types.list_tools import (
        ListToolsArgs as ListToolsArgs,
        ListToolsResult as ListToolsResult,
        ListToolsResultItem as ListToolsResultItem,
    )
    from .types.search_registry import (
        SearchRegistryArgs as SearchRegistryArgs,
        SearchRegistryResult as SearchRegistryResult,
        SearchRegistryResultItem as SearchRegistryResultItem,
    )
    from .types.shared import Installed as Installed, ServerName as ServerName
    from . import codecs as codecs
    from .calls import (
        new_call_mcp_tool_call as new_call_mcp_tool_call,
        new_drop_server_call as new_drop_server_call,
        new_install_local_call as new_install_local_call,
        new_install_package_call as new_install_package_call,
        new_install_registry_call as new_install_registry_call,
        new_list_servers_call as new_list_servers_call,
        new_list_tools_call as new_list_tools_call,
        new_search_registry_call as new_search_registry_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        CALL_MCP_TOOL as CALL_MCP_TOOL,
        DROP_SERVER as DROP_SERVER,
        INSTALL_LOCAL as INSTALL_LOCAL,
        INSTALL_PACKAGE as INSTALL_PACKAGE,
        INSTALL_REGISTRY as INSTALL_REGISTRY,
        LIST_SERVERS as LIST_SERVERS,
        LIST_TOOLS as LIST_TOOLS,
        SEARCH_REGISTRY as SEARCH_REGISTRY,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CALL_MCP_TOOL": ".idents",
            "CallMcpToolArgs": ".types.call_mcp_tool",
            "CallMcpToolResult": ".types.call_mcp_tool",
            "DROP_SERVER": ".idents",
            "DropServerArgs": ".types.drop_server",
            "DropServerResult": ".types.drop_server",
            "Handlers": ".dispatch",
            "INSTALL_LOCAL": ".idents",
            "INSTALL_PACKAGE": ".idents",
            "INSTALL_REGISTRY": ".idents",
            "InstallLocalArgs": ".types.install_local",
            "InstallLocalResult": ".types.install_local",
            "InstallPackageArgs": ".types.install_package",
            "InstallPackageResult": ".types.install_package",
            "InstallRegistryArgs": ".types.install_registry",
            "InstallRegistryResult": ".types.install_registry",
            "Installed": ".types.shared",
            "LIST_SERVERS": ".idents",
            "LIST_TOOLS": ".idents",
            "ListServersArgs": ".types.list_servers",
            "ListServersResult": ".types.list_servers",
            "ListToolsArgs": ".types.list_tools",
            "ListToolsResult": ".types.list_tools",
            "ListToolsResultItem": ".types.list_tools",
            "SEARCH_REGISTRY": ".idents",
            "SearchRegistryArgs": ".types.search_registry",
            "SearchRegistryResult": ".types.search_registry",
            "SearchRegistryResultItem": ".types.search_registry",
            "ServerName": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_call_mcp_tool_call": ".calls",
            "new_drop_server_call": ".calls",
            "new_install_local_call": ".calls",
            "new_install_package_call": ".calls",
            "new_install_registry_call": ".calls",
            "new_list_servers_call": ".calls",
            "new_list_tools_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_registry_call": ".calls",
        },
    )
