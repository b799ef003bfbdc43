"""The redirect of a login: a page on loopback, at which a browser arrives with the code that the server gave."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult, OAuthFlowError

if TYPE_CHECKING:
    from types import TracebackType

_PATH: Final = "/callback"
_PAGE: Final = "<!doctype html><title>toolgen</title><p>{}</p>"
_LONGEST_LINE: Final = 16 * 1024


class Redirect:
    """Listens on a free port of 127.0.0.1 while it is open: `async with Redirect() as redirect`."""

    def __init__(self) -> None:
        self._arrived: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self.url = ""

    async def __aenter__(self) -> Redirect:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0, limit=_LONGEST_LINE)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{_PATH}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def wait(self) -> AuthorizationCodeResult:
        """Wait for the browser. Raises `OAuthFlowError` where the server refused."""
        return await self._arrived

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = (await reader.readline()).split()
            parts = urlsplit(request[1].decode("ascii", "replace")) if len(request) == 3 else urlsplit("")
            status, text = "404 Not Found", "There is nothing here."
            if parts.path == _PATH:
                status, text = "200 OK", self._take(parts.query)
            body = _PAGE.format(text).encode()
            head = (
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            )
            writer.write(f"{head}\r\n".encode() + body)
            await writer.drain()
        except (ConnectionError, ValueError):
            pass  # it was not the browser with a code, which can still come
        finally:
            writer.close()

    def _take(self, query: str) -> str:
        given = {name: values[0] for name, values in parse_qs(query).items()}
        if self._arrived.done():
            return "This login is over."
        code = given.get("code")
        if code is None:
            reason = given.get("error_description") or given.get("error") or "it gave no code"
            self._arrived.set_exception(OAuthFlowError(f"the server refused the login: {reason}"))
            return "The login was refused. You can close this page."
        result = AuthorizationCodeResult(code=code, state=given.get("state"), iss=given.get("iss"))
        self._arrived.set_result(result)
        return "You are signed in. You can close this page."
