"""Signing in: the SDK's OAuth flow, with a person in front of a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult, OAuthFlowError
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from toolgen.execute.mcp.connection import Connection
from toolgen.execute.mcp.failures import ServerUnreachable
from toolgen.execute.mcp.server import McpHost
from toolgen.execute.mcp.tokens import LoginAuth, LoginStore, Tokens, client_metadata
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.redact.sent import SentCredentials

if TYPE_CHECKING:
    from types import TracebackType

    from mcp_types import LoggingMessageNotificationParams

    from toolgen.execute.mcp.lists import Malformed
    from toolgen.execute.mcp.server import McpServer


# Offers: what a server offers now, for those who import it or compare it with a spec.


@dataclass(frozen=True, slots=True)
class Offer:
    """All pages of `tools/list`, as JSON, and the instructions of the server, empty without any.

    `malformed` are members of the list that are no tools of MCP, which `tools` lacks. `others` are its
    resources, templates of resources and prompts, by kind, and `unlisted` says why a kind is missing.
    """

    tools: list[dict[str, Any]]
    malformed: list[Malformed]
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
            return Offer(tools, connection.malformed, connection.client.instructions or "", *await connection.others())
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


# The redirect of a login: a page on loopback, at which a browser arrives with the code that the server gave.

_PATH: Final = "/callback"
_PAGE: Final = "<!doctype html><title>toolgen</title><p>{}</p>"
_LONGEST_LINE: Final = 16 * 1024
_LINE_SECONDS: Final = 10.0
"""Seconds until the first line of a request: browsers open connections that they may never use."""


class Redirect:
    """Listens on a free port of 127.0.0.1 while it is open: `async with Redirect() as redirect`.

    Any page or program can send a request there, so what does not have the state of the login is refused, and does not
    end it (RFC 6749, section 10.12).
    """

    def __init__(self) -> None:
        self._arrived: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self._state: str | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.url = ""

    def expect(self, page: str) -> None:
        """Take only the answer to a page of the authorization server, which its URL names as `state`."""
        self._state = _first(urlsplit(page).query).get("state")

    async def __aenter__(self) -> Redirect:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0, limit=_LONGEST_LINE)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{_PATH}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in self._open:
            writer.transport.abort()  # from Python 3.12 on, `wait_closed` waits for each connection
        await self._server.wait_closed()

    async def wait(self) -> AuthorizationCodeResult:
        """Wait for the browser. Raises `OAuthFlowError` where the server refused."""
        return await self._arrived

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            async with asyncio.timeout(_LINE_SECONDS):
                request = (await reader.readline()).split()
            parts = urlsplit(request[1].decode("ascii", "replace")) if len(request) == 3 else urlsplit("")
            status, text = "404 Not Found", "There is nothing here."
            if parts.path == _PATH:
                status, text = self._take(_first(parts.query))
            body = _PAGE.format(text).encode()
            head = (
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            )
            writer.write(f"{head}\r\n".encode() + body)
            await writer.drain()
        except (ConnectionError, TimeoutError, ValueError):
            pass  # it was not the browser with a code, which can still come
        finally:
            self._open.discard(writer)
            writer.close()

    def _take(self, given: dict[str, str]) -> tuple[str, str]:
        if self._state is None or given.get("state") != self._state:
            return "400 Bad Request", "This is not the answer to the login that is running."
        if self._arrived.done():
            return "400 Bad Request", "This login is over."
        code = given.get("code")
        if code is None:
            reason = given.get("error_description") or given.get("error") or "it gave no code"
            self._arrived.set_exception(OAuthFlowError(f"the server refused the login: {reason}"))
            return "200 OK", "The login was refused. You can close this page."
        self._arrived.set_result(AuthorizationCodeResult(code=code, state=self._state, iss=given.get("iss")))
        return "200 OK", "The login goes on in the terminal. You can close this page."


def _first(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


_WAIT: Final = 300.0
"""Seconds until a person has signed in."""


async def mcp_sign_in(server: McpServer, show: Callable[[str], None], store: LoginStore | None = None) -> bool:
    """Sign in to a server with a URL; return whether it wanted that. `show` is given the page to open in a browser.

    Raises `ExecutorError` for a server that cannot be reached, or that refuses.
    """
    async with Redirect() as redirect:

        async def open_page(url: str) -> None:
            redirect.expect(url)
            show(url)

        host = McpHost(timeout=_WAIT)
        resolved = server.resolved(host.environment)
        url = resolved.http or resolved.sse
        tokens = Tokens(url, LoginStore() if store is None else store, {"id": token_hex(16)})
        auth = LoginAuth(url, client_metadata(redirect.url), tokens, open_page, redirect.wait)
        tokens.auth = auth
        await offer_of(server, replace(host, auth=auth))
        await tokens.save()
        return tokens.login.get("tokens") is not None
