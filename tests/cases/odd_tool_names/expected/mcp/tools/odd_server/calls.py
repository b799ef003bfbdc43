"""Call builders of `mcp.odd-server`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_http_server2_call() -> ToolRequest:
    """Ask for `mcp.odd-server.HTTPServer2`: Capitals and digits.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.HTTP_SERVER2, codecs.HTTP_SERVER2_ARGS, {})


def new_double_call() -> ToolRequest:
    """Ask for `mcp.odd-server.__double__`: Underscores at both ends.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DOUBLE, codecs.DOUBLE_ARGS, {})


def new_a_call() -> ToolRequest:
    """Ask for `mcp.odd-server.a`: One letter.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.A, codecs.A_ARGS, {})


def new_camel_case_tool_call() -> ToolRequest:
    """Ask for `mcp.odd-server.camelCaseTool`: The key in words becomes the title.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CAMEL_CASE_TOOL, codecs.CAMEL_CASE_TOOL_ARGS, {})


def new_chat_with_call() -> ToolRequest:
    """Ask for `mcp.odd-server.chat-with`: Chat with ${AI_CHAT_NAME_CLEAN}; costs {1} # of {{args.x}}.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CHAT_WITH, codecs.CHAT_WITH_ARGS, {})


def new_get_user_info_call() -> ToolRequest:
    """Ask for `mcp.odd-server.get-user-info`: Spaces and dashes; the key may have dashes too.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GET_USER_INFO, codecs.GET_USER_INFO_ARGS, {})


def new_search_issues_call() -> ToolRequest:
    """Ask for `mcp.odd-server.search_issues`: Dots.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH_ISSUES, codecs.SEARCH_ISSUES_ARGS, {})


def new_uebersetzen_call() -> ToolRequest:
    """Ask for `mcp.odd-server.uebersetzen`: Not ASCII either.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.UEBERSETZEN, codecs.UEBERSETZEN_ARGS, {})


def new_weather_call() -> ToolRequest:
    """Ask for `mcp.odd-server.weather`: Not ASCII.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WEATHER, codecs.WEATHER_ARGS, {})
