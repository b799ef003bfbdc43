"""Codecs of `mcp_admin`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.call_mcp_tool import CallMcpToolArgs, CallMcpToolResult
    from .types.drop_server import DropServerArgs, DropServerResult
    from .types.install_local import InstallLocalArgs, InstallLocalResult
    from .types.install_package import InstallPackageArgs, InstallPackageResult
    from .types.install_registry import InstallRegistryArgs, InstallRegistryResult
    from .types.list_servers import ListServersArgs, ListServersResult
    from .types.list_tools import ListToolsArgs, ListToolsResult
    from .types.search_registry import SearchRegistryArgs, SearchRegistryResult

CALL_MCP_TOOL_ARGS: Final[Codec[CallMcpToolArgs]] = Codec.of_package(PACKAGE, "mcp_admin.call_mcp_tool", "args")
CALL_MCP_TOOL_RESULT: Final[Codec[CallMcpToolResult]] = Codec.of_package(PACKAGE, "mcp_admin.call_mcp_tool", "result")
DROP_SERVER_ARGS: Final[Codec[DropServerArgs]] = Codec.of_package(PACKAGE, "mcp_admin.drop_server", "args")
DROP_SERVER_RESULT: Final[Codec[DropServerResult]] = Codec.of_package(PACKAGE, "mcp_admin.drop_server", "result")
INSTALL_LOCAL_ARGS: Final[Codec[InstallLocalArgs]] = Codec.of_package(PACKAGE, "mcp_admin.install_local", "args")
INSTALL_LOCAL_RESULT: Final[Codec[InstallLocalResult]] = Codec.of_package(PACKAGE, "mcp_admin.install_local", "result")
INSTALL_PACKAGE_ARGS: Final[Codec[InstallPackageArgs]] = Codec.of_package(PACKAGE, "mcp_admin.install_package", "args")
INSTALL_PACKAGE_RESULT: Final[Codec[InstallPackageResult]] = Codec.of_package(
    PACKAGE, "mcp_admin.install_package", "result"
)
INSTALL_REGISTRY_ARGS: Final[Codec[InstallRegistryArgs]] = Codec.of_package(
    PACKAGE, "mcp_admin.install_registry", "args"
)
INSTALL_REGISTRY_RESULT: Final[Codec[InstallRegistryResult]] = Codec.of_package(
    PACKAGE, "mcp_admin.install_registry", "result"
)
LIST_SERVERS_ARGS: Final[Codec[ListServersArgs]] = Codec.of_package(PACKAGE, "mcp_admin.list_servers", "args")
LIST_SERVERS_RESULT: Final[Codec[ListServersResult]] = Codec.of_package(PACKAGE, "mcp_admin.list_servers", "result")
LIST_TOOLS_ARGS: Final[Codec[ListToolsArgs]] = Codec.of_package(PACKAGE, "mcp_admin.list_tools", "args")
LIST_TOOLS_RESULT: Final[Codec[ListToolsResult]] = Codec.of_package(PACKAGE, "mcp_admin.list_tools", "result")
SEARCH_REGISTRY_ARGS: Final[Codec[SearchRegistryArgs]] = Codec.of_package(PACKAGE, "mcp_admin.search_registry", "args")
SEARCH_REGISTRY_RESULT: Final[Codec[SearchRegistryResult]] = Codec.of_package(
    PACKAGE, "mcp_admin.search_registry", "result"
)
