"""`mcp.odd-server`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.a import AArgs as AArgs, AResult as AResult
    from .types.camel_case_tool import (
        CamelCaseToolArgs as CamelCaseToolArgs,
        CamelCaseToolResult as CamelCaseToolResult,
    )
    from .types.chat_with import ChatWithArgs as ChatWithArgs, ChatWithResult as ChatWithResult
    from .types.double import DoubleArgs as DoubleArgs, DoubleResult as DoubleResult
    from .types.get_user_info import GetUserInfoArgs as GetUserInfoArgs, GetUserInfoResult as GetUserInfoResult
    from .types.http_server2 import HTTPServer2Args as HTTPServer2Args, HTTPServer2Result as HTTPServer2Result
    from .types.search_issues import SearchIssuesArgs as SearchIssuesArgs, SearchIssuesResult as SearchIssuesResult
    from .types.uebersetzen import UebersetzenArgs as UebersetzenArgs, UebersetzenResult as UebersetzenResult
    from .types.weather import WeatherArgs as WeatherArgs, WeatherResult as WeatherResult
    from . import codecs as codecs
    from .calls import (
        new_a_call as new_a_call,
        new_camel_case_tool_call as new_camel_case_tool_call,
        new_chat_with_call as new_chat_with_call,
        new_double_call as new_double_call,
        new_get_user_info_call as new_get_user_info_call,
        new_http_server2_call as new_http_server2_call,
        new_search_issues_call as new_search_issues_call,
        new_uebersetzen_call as new_uebersetzen_call,
        new_weather_call as new_weather_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        A as A,
        CAMEL_CASE_TOOL as CAMEL_CASE_TOOL,
        CHAT_WITH as CHAT_WITH,
        DOUBLE as DOUBLE,
        GET_USER_INFO as GET_USER_INFO,
        HTTP_SERVER2 as HTTP_SERVER2,
        SEARCH_ISSUES as SEARCH_ISSUES,
        UEBERSETZEN as UEBERSETZEN,
        WEATHER as WEATHER,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "A": ".idents",
            "AArgs": ".types.a",
            "AResult": ".types.a",
            "CAMEL_CASE_TOOL": ".idents",
            "CHAT_WITH": ".idents",
            "CamelCaseToolArgs": ".types.camel_case_tool",
            "CamelCaseToolResult": ".types.camel_case_tool",
            "ChatWithArgs": ".types.chat_with",
            "ChatWithResult": ".types.chat_with",
            "DOUBLE": ".idents",
            "DoubleArgs": ".types.double",
            "DoubleResult": ".types.double",
            "GET_USER_INFO": ".idents",
            "GetUserInfoArgs": ".types.get_user_info",
            "GetUserInfoResult": ".types.get_user_info",
            "HTTPServer2Args": ".types.http_server2",
            "HTTPServer2Result": ".types.http_server2",
            "HTTP_SERVER2": ".idents",
            "Handlers": ".dispatch",
            "SEARCH_ISSUES": ".idents",
            "SearchIssuesArgs": ".types.search_issues",
            "SearchIssuesResult": ".types.search_issues",
            "UEBERSETZEN": ".idents",
            "UebersetzenArgs": ".types.uebersetzen",
            "UebersetzenResult": ".types.uebersetzen",
            "WEATHER": ".idents",
            "WeatherArgs": ".types.weather",
            "WeatherResult": ".types.weather",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_a_call": ".calls",
            "new_camel_case_tool_call": ".calls",
            "new_chat_with_call": ".calls",
            "new_double_call": ".calls",
            "new_get_user_info_call": ".calls",
            "new_http_server2_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_issues_call": ".calls",
            "new_uebersetzen_call": ".calls",
            "new_weather_call": ".calls",
        },
    )
