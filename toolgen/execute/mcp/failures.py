"""Failures of servers and connections, as failures of calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, cast

import httpx2
from mcp.client import InputRequiredRoundsExceededError
from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS, METHOD_NOT_FOUND, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError

    from toolgen.execute.mcp.lists import Malformed

SESSION_TERMINATED = "Session terminated"
"""What the SDK says where a server no longer knows the session: the request was not processed.

It is an error like those of the server, which may say the same.
"""


HTTP_ERROR = "Server returned an error response"
"""What the SDK says for an HTTP status of 400 and more, without a message of MCP."""


CLOSED = "Connection closed"
"""The message that the SDK gives to calls whose connection ended."""

STREAM_REFUSED = "SSE stream failed: "
"""What the SDK says before the reason for which an answer as a stream of events was not read."""


_FAULT: Final = re.compile(r"^(?:(\S+)\n)?  (\S.*?) \[type=(\w+)", re.MULTILINE)
"""A fault in the text of an error of pydantic: where, what, and its type."""

_MOST_CODE: Final = 2**31
"""A larger error code says nothing, and may have any length: it is left out."""


class ServerUnreachable(Picklable, ConnectionError):
    """A connection cannot be opened: no request was sent. `wants_login` says that a person has to sign in first."""

    def __init__(self, server: str, reason: str, *, wants_login: bool = False) -> None:
        self.reason = reason
        self.wants_login = wants_login
        super().__init__(f"cannot connect to {server}: {reason}")


def reason_of(error: BaseException) -> str:
    """Return why a connection failed, from the causes that the SDK raises as groups."""
    causes = list(causes_of(error))
    return "; ".join(dict.fromkeys(str(cause) or type(cause).__name__ for cause in causes))


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions of a group, and of the groups in it."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        for each in group.exceptions:
            yield from causes_of(each)
    else:
        yield error


def is_refusal(error: MCPError) -> bool:
    """Return whether a protocol error says that the call is wrong, so that the server did not run it."""
    return error.code in (INVALID_PARAMS, METHOD_NOT_FOUND)


def is_connect_error(failure: BaseException | None) -> bool:
    """Return whether a connection failed because no connection to the host could be made."""
    return failure is not None and any(isinstance(cause, httpx2.ConnectError) for cause in causes_of(failure))


def unreachable(error: ServerUnreachable) -> CallFailed:
    """Return the failure of a call whose server cannot be reached."""
    return CallFailed(FailureKind.UNAVAILABLE, "server_unreachable", str(error))


def connection_lost(server: str) -> CallFailed:
    """Return the failure of a call that was sent and got no answer."""
    return CallFailed(FailureKind.UNAVAILABLE, "connection_lost", f"the connection to {server} ended before the answer")


def other_login(server: str) -> CallFailed:
    """Return the failure of a call that would be made by another login than the one that a person was asked about."""
    message = f"the login at {server} is not the one that a person was asked about"
    return CallFailed(FailureKind.PERMISSION_DENIED, "login_changed", message, "make the call again")


def answer_refused(reason: str) -> CallFailed:
    """Return the failure of a call whose answer cannot be read, or costs too much to be read. It is not repeated."""
    return CallFailed(FailureKind.MALFORMED_RESULT, "answer_refused", reason)


def not_json() -> CallFailed:
    """Return the failure of a call whose answer has a number that JSON does not have."""
    message = "the answer of the server holds NaN or an infinity, and JSON has neither"
    return CallFailed(FailureKind.MALFORMED_RESULT, "malformed_result", message)


def http_error(server: str) -> CallFailed:
    """Return the failure of a call that was answered with an HTTP error."""
    return CallFailed(FailureKind.UNAVAILABLE, "server_error", f"{server} answered with an HTTP error")


def failed(error: MCPError, hide: Callable[[str], str]) -> CallFailed:
    """Return the failure of a call that the server answered with a protocol error (JSON-RPC).

    `hide` removes credentials from its message.
    """
    message = hide(error.message)
    if error.code == PARSE_ERROR or (error.code == CONNECTION_CLOSED and message.startswith(STREAM_REFUSED)):
        return answer_refused(_unreadable(message))
    match error.code:
        case code if code == INVALID_PARAMS:
            return CallFailed(FailureKind.DOMAIN_REJECTION, "invalid_params", message)
        case code if code == METHOD_NOT_FOUND:
            return CallFailed(FailureKind.TOOL_NOT_AVAILABLE, "method_not_found", message)
        case code if code == REQUEST_TIMEOUT:
            return CallFailed(FailureKind.TIMEOUT, "server_timeout", message)
        case code:
            name = f"mcp_error_{code}" if abs(code) < _MOST_CODE else "mcp_error"
            return CallFailed(FailureKind.UNAVAILABLE, name, message)


def _unreadable(message: str) -> str:
    """Return why an answer cannot be read, from what the SDK says: a prefix, and an error of pydantic in some lines."""
    fault = json_rpc_fault(message)
    first = message.partition("\n")[0].removeprefix(STREAM_REFUSED).removeprefix("Failed to parse JSON response: ")
    return f"the answer is not one of JSON-RPC: {fault}" if fault else first


def json_rpc_fault(said: str) -> str:
    """Return what is wrong with an answer, from the text of an error of pydantic; empty if it is another text.

    It tries each kind of message; what is wrong with it as an answer says most, unless that is only what is missing.
    """
    faults = [found.groups("") for found in _FAULT.finditer(said)]
    of_answer = [fault for fault in faults if fault[0].startswith(("JSONRPCResponse", "JSONRPCError"))] or faults
    if not of_answer:
        return ""
    place, fault, _ = min(of_answer, key=lambda each: each[2] == "missing")
    field = place.partition(".")[2]
    return f"{field}: {fault}" if field else fault


def malformed(error: RuntimeError | ValidationError) -> CallFailed:
    """Return the failure of a call whose answer the SDK refuses.

    It raises RuntimeError for structured content that does not match the schema that the server lists, and for a server
    that asks on and on.
    """
    if isinstance(error, InputRequiredRoundsExceededError):
        return CallFailed(FailureKind.UNAVAILABLE, "too_many_questions", "the server asks again and again: given up")
    if isinstance(error, ValidationError):
        message = f"the answer of the server is not one of MCP: {_first(error)}"
        return CallFailed(FailureKind.MALFORMED_RESULT, "invalid_answer", message)
    return CallFailed(FailureKind.MALFORMED_RESULT, "invalid_structured_content", str(error).partition("\n")[0])


def malformed_list(server: str, error: ValidationError) -> CallFailed:
    """Return the failure of a call whose server lists its tools in another way than MCP says."""
    return CallFailed(FailureKind.UNAVAILABLE, "invalid_list", f"the list of tools of {server}: {_first(error)}")


def malformed_tool(server: str, tool: Malformed) -> CallFailed:
    """Return the failure of a call of a tool that its server lists in another way than MCP says."""
    message = f"the list of tools of {server}: `{tool.name}`: {tool.reason}"
    return CallFailed(FailureKind.UNAVAILABLE, "invalid_list", message)


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
