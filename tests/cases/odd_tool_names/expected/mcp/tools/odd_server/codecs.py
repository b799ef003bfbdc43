"""Codecs of `mcp.odd-server`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

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

HTTP_SERVER2_ARGS: Final[Codec[HTTPServer2Args]] = Codec.of_package(PACKAGE, "mcp.odd-server.HTTPServer2", "args")
HTTP_SERVER2_RESULT: Final[Codec[HTTPServer2Result]] = Codec.of_package(PACKAGE, "mcp.odd-server.HTTPServer2", "result")
DOUBLE_ARGS: Final[Codec[DoubleArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.__double__", "args")
DOUBLE_RESULT: Final[Codec[DoubleResult]] = Codec.of_package(PACKAGE, "mcp.odd-server.__double__", "result")
A_ARGS: Final[Codec[AArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.a", "args")
A_RESULT: Final[Codec[AResult]] = Codec.of_package(PACKAGE, "mcp.odd-server.a", "result")
CAMEL_CASE_TOOL_ARGS: Final[Codec[CamelCaseToolArgs]] = Codec.of_package(
    PACKAGE, "mcp.odd-server.camelCaseTool", "args"
)
CAMEL_CASE_TOOL_RESULT: Final[Codec[CamelCaseToolResult]] = Codec.of_package(
    PACKAGE, "mcp.odd-server.camelCaseTool", "result"
)
CHAT_WITH_ARGS: Final[Codec[ChatWithArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.chat-with", "args")
CHAT_WITH_RESULT: Final[Codec[ChatWithResult]] = Codec.of_package(PACKAGE, "mcp.odd-server.chat-with", "result")
GET_USER_INFO_ARGS: Final[Codec[GetUserInfoArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.get-user-info", "args")
GET_USER_INFO_RESULT: Final[Codec[GetUserInfoResult]] = Codec.of_package(
    PACKAGE, "mcp.odd-server.get-user-info", "result"
)
SEARCH_ISSUES_ARGS: Final[Codec[SearchIssuesArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.search_issues", "args")
SEARCH_ISSUES_RESULT: Final[Codec[SearchIssuesResult]] = Codec.of_package(
    PACKAGE, "mcp.odd-server.search_issues", "result"
)
UEBERSETZEN_ARGS: Final[Codec[UebersetzenArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.uebersetzen", "args")
UEBERSETZEN_RESULT: Final[Codec[UebersetzenResult]] = Codec.of_package(PACKAGE, "mcp.odd-server.uebersetzen", "result")
WEATHER_ARGS: Final[Codec[WeatherArgs]] = Codec.of_package(PACKAGE, "mcp.odd-server.weather", "args")
WEATHER_RESULT: Final[Codec[WeatherResult]] = Codec.of_package(PACKAGE, "mcp.odd-server.weather", "result")
