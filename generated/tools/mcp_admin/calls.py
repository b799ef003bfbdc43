"""Call builders of `mcp_admin`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest


def new_call_mcp_tool_call(*, server: str, tool: str, args: dict[str, JsonValue]) -> ToolRequest:
    """Ask for `mcp_admin.call_mcp_tool`: Call a tool of an installed server.

    Args:
        args: What the input schema of the tool asks for.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CALL_MCP_TOOL, codecs.CALL_MCP_TOOL_ARGS, {"server": server, "tool": tool, "args": args})


def new_drop_server_call(*, server: str) -> ToolRequest:
    """Ask for `mcp_admin.drop_server`: Remove an installed server.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DROP_SERVER, codecs.DROP_SERVER_ARGS, {"server": server})


def new_install_local_call(*, name: str, argv: list[str]) -> ToolRequest:
    """Ask for `mcp_admin.install_local`: Register a local command as a server.

    Args:
        argv: The program and its arguments, one each. It has to speak MCP on stdin and stdout.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INSTALL_LOCAL, codecs.INSTALL_LOCAL_ARGS, {"name": name, "argv": argv})


def new_install_package_call(*, source: Literal["npm", "pypi", "docker", "github"], package: str) -> ToolRequest:
    """Ask for `mcp_admin.install_package`: Install a server from npm, PyPI, Docker or a GitHub URL.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INSTALL_PACKAGE, codecs.INSTALL_PACKAGE_ARGS, {"source": source, "package": package})


def new_install_registry_call(*, name: str, version: str | None = None) -> ToolRequest:
    """Ask for `mcp_admin.install_registry`: Install a server of the registry into this project.

    Args:
        version: Left out: the newest.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INSTALL_REGISTRY, codecs.INSTALL_REGISTRY_ARGS, {"name": name, "version": version})


def new_list_servers_call() -> ToolRequest:
    """Ask for `mcp_admin.list_servers`: List installed servers.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST_SERVERS, codecs.LIST_SERVERS_ARGS, {})


def new_list_tools_call(*, server: str) -> ToolRequest:
    """Ask for `mcp_admin.list_tools`: List the tools of one server.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST_TOOLS, codecs.LIST_TOOLS_ARGS, {"server": server})


def new_search_registry_call(*, query: str) -> ToolRequest:
    """Ask for `mcp_admin.search_registry`: Search the official MCP registry for servers.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH_REGISTRY, codecs.SEARCH_REGISTRY_ARGS, {"query": query})
