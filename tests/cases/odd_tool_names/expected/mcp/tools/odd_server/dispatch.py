"""What runs the tools of `mcp.odd-server`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.a import AArgs, AResult
    from .types.camel_case_tool import CamelCaseToolArgs, CamelCaseToolResult
    from .types.chat_with import ChatWithArgs, ChatWithResult
    from .types.double import DoubleArgs, DoubleResult
    from .types.get_user_info import GetUserInfoArgs, GetUserInfoResult
    from .types.http_server2 import HTTPServer2Args, HTTPServer2Result
    from .types.search_issues import SearchIssuesArgs, SearchIssuesResult
    from .types.uebersetzen import UebersetzenArgs, UebersetzenResult
    from .types.weather import WeatherArgs, WeatherResult


class Handlers(Protocol):
    """One method for each tool of `mcp.odd-server`, sync or async."""

    def http_server2(self, args: HTTPServer2Args, meta: ToolCallMeta, /) -> Returns[HTTPServer2Result]:
        """Capitals and digits."""
        ...

    def double(self, args: DoubleArgs, meta: ToolCallMeta, /) -> Returns[DoubleResult]:
        """Underscores at both ends."""
        ...

    def a(self, args: AArgs, meta: ToolCallMeta, /) -> Returns[AResult]:
        """One letter."""
        ...

    def camel_case_tool(self, args: CamelCaseToolArgs, meta: ToolCallMeta, /) -> Returns[CamelCaseToolResult]:
        """The key in words becomes the title."""
        ...

    def chat_with(self, args: ChatWithArgs, meta: ToolCallMeta, /) -> Returns[ChatWithResult]:
        """Chat with ${AI_CHAT_NAME_CLEAN}; costs {1} # of {{args.x}}."""
        ...

    def get_user_info(self, args: GetUserInfoArgs, meta: ToolCallMeta, /) -> Returns[GetUserInfoResult]:
        """Spaces and dashes; the key may have dashes too."""
        ...

    def search_issues(self, args: SearchIssuesArgs, meta: ToolCallMeta, /) -> Returns[SearchIssuesResult]:
        """Dots."""
        ...

    def uebersetzen(self, args: UebersetzenArgs, meta: ToolCallMeta, /) -> Returns[UebersetzenResult]:
        """Not ASCII either."""
        ...

    def weather(self, args: WeatherArgs, meta: ToolCallMeta, /) -> Returns[WeatherResult]:
        """Not ASCII."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.odd-server",
        handlers={
            idents.HTTP_SERVER2: handlers.http_server2,
            idents.DOUBLE: handlers.double,
            idents.A: handlers.a,
            idents.CAMEL_CASE_TOOL: handlers.camel_case_tool,
            idents.CHAT_WITH: handlers.chat_with,
            idents.GET_USER_INFO: handlers.get_user_info,
            idents.SEARCH_ISSUES: handlers.search_issues,
            idents.UEBERSETZEN: handlers.uebersetzen,
            idents.WEATHER: handlers.weather,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.odd-server",
        executor=executor,
        decode_in_executor=True,
    )
