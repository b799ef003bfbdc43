"""Offers: what a server offers now, for those who import it or compare it with a spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from toolgen.execute.mcp.connection import Connection
from toolgen.execute.mcp.failures import ServerUnreachable
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.redact.sent import SentCredentials

if TYPE_CHECKING:
    from mcp_types import LoggingMessageNotificationParams

    from toolgen.execute.mcp.server import McpHost, McpServer


@dataclass(frozen=True, slots=True)
class Offer:
    """All pages of `tools/list`, as JSON, and the instructions of the server, empty without any.

    `others` are its resources, templates of resources and prompts, by kind, and `unlisted` says why a kind is missing.
    """

    tools: list[dict[str, Any]]
    instructions: str
    others: dict[str, list[dict[str, Any]]]
    unlisted: dict[str, str]


async def offer_of(server: McpServer, host: McpHost) -> Offer:
    """Connect, list all tools, and disconnect.

    Raises `ExecutorError` for a missing environment variable, for a server that cannot be reached, and for one that
    does not list its tools as MCP has it.
    """
    server.check(host.environment)
    connection = Connection(server, host, _ignore, SentCredentials(server.credentials(host.environment)))
    try:
        await connection.open()
        try:
            tools = await connection.tools()
            return Offer(tools, connection.client.instructions or "", *await connection.others())
        finally:
            await connection.close()
    except ServerUnreachable as error:
        raise ExecutorError(_in_one_line(str(error))) from error
    except MCPError as error:
        raise ExecutorError(
            f"{server.name} does not list its tools: {connection.hide(_in_one_line(error.message))}"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ExecutorError(f"{server.name} lists tools that are not those of MCP: {place}: {first['msg']}") from error


def _ignore(params: LoggingMessageNotificationParams) -> None:
    """Drop a log message: no call is made."""


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
