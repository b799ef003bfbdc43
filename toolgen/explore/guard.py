"""Guard: what a request must be before anything looks at it, and what every answer tells the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from toolgen.runtime.base.http_names import header_values
from toolgen.schema.json_values import number_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from toolgen.explore.settings import ExploreSettings

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of all answers: no script, style, image or request of elsewhere, and no frame around a page."""

_SAFE: Final = ("GET", "HEAD")
_NEAR: Final = ("same-origin", "none", "")
"""Values of Sec-Fetch-Site of requests that a page of another site has not made."""


class Guard:
    """An ASGI app in front of another one. It refuses foreign names, foreign pages, and bodies that are too large."""

    def __init__(self, app: ASGIApp, settings: ExploreSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        refusal = self._refusal(scope)
        if refusal is not None:
            status, said = refusal
            return await PlainTextResponse(f"{said}\n", status)(scope, receive, _with_headers(send))
        return await self._app(scope, _Bounded(receive, self._settings.body_bytes), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return why a request is refused, with the status; None for one that may go on."""
        headers = Headers(scope=scope)
        hosts, origins = (header_values(scope["headers"], name) for name in (b"host", b"origin"))
        if len(hosts) != 1 or not self._settings.knows_host(hosts[0]):
            return 421, "this server has another name"
        if scope["method"] in _SAFE:
            return None
        if headers.get("sec-fetch-site", "") not in _NEAR:
            return 403, "a page of another site may change nothing here"
        if origins and (len(origins) != 1 or origins[0].partition("://")[2].lower() != hosts[0].lower()):
            return 403, "a page of another origin may change nothing here"
        length = number_of(headers.get("content-length", "0"))
        if length is None or length > self._settings.body_bytes:
            return 413, f"a request has at most {self._settings.body_bytes:,} bytes"
        return None


class _Bounded:
    """What receives a body of at most some bytes; a longer one ends as if the client had left."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                return {"type": "http.disconnect"}
        return message


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sent
