"""Idents of the tools of `mcp.odd-server`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.a import AArgs, AResult
    from .types.camel_case_tool import CamelCaseToolArgs, CamelCaseToolResult
    from .types.chat_with import ChatWithArgs, ChatWithResult
    from .types.double import DoubleArgs, DoubleResult
    from .types.get_user_info import GetUserInfoArgs, GetUserInfoResult
    from .types.http_server2 import HTTPServer2Args, HTTPServer2Result
    from .types.search_issues import SearchIssuesArgs, SearchIssuesResult
    from .types.uebersetzen import UebersetzenArgs, UebersetzenResult
    from .types.weather import WeatherArgs, WeatherResult

HTTP_SERVER2: Final[Ident[HTTPServer2Args, HTTPServer2Result]] = Ident("mcp.odd-server.HTTPServer2")
"""Capitals and digits."""

DOUBLE: Final[Ident[DoubleArgs, DoubleResult]] = Ident("mcp.odd-server.__double__")
"""Underscores at both ends."""

A: Final[Ident[AArgs, AResult]] = Ident("mcp.odd-server.a")
"""One letter."""

CAMEL_CASE_TOOL: Final[Ident[CamelCaseToolArgs, CamelCaseToolResult]] = Ident("mcp.odd-server.camelCaseTool")
"""The key in words becomes the title."""

CHAT_WITH: Final[Ident[ChatWithArgs, ChatWithResult]] = Ident("mcp.odd-server.chat-with")
"""Chat with ${AI_CHAT_NAME_CLEAN}; costs {1} # of {{args.x}}."""

GET_USER_INFO: Final[Ident[GetUserInfoArgs, GetUserInfoResult]] = Ident("mcp.odd-server.get-user-info")
"""Spaces and dashes; the key may have dashes too."""

SEARCH_ISSUES: Final[Ident[SearchIssuesArgs, SearchIssuesResult]] = Ident("mcp.odd-server.search_issues")
"""Dots."""

UEBERSETZEN: Final[Ident[UebersetzenArgs, UebersetzenResult]] = Ident("mcp.odd-server.uebersetzen")
"""Not ASCII either."""

WEATHER: Final[Ident[WeatherArgs, WeatherResult]] = Ident("mcp.odd-server.weather")
"""Not ASCII."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    HTTP_SERVER2,
    DOUBLE,
    A,
    CAMEL_CASE_TOOL,
    CHAT_WITH,
    GET_USER_INFO,
    SEARCH_ISSUES,
    UEBERSETZEN,
    WEATHER,
)
"""Every tool of this toolset."""
