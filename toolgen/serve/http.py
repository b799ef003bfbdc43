"""HTTP: the endpoint of a server, behind checks of who asks, from where, how much and how often."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
import time
from collections.abc import Awaitable, Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from opentelemetry.context import attach, detach
from opentelemetry.propagate import extract, get_global_textmap
from opentelemetry.trace import get_current_span
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse

from toolgen.runtime.base.http_names import header_values, is_host_of, is_origin_of
from toolgen.runtime.base.json_text import NotJson
from toolgen.runtime.base.peer_logs import escape_logs
from toolgen.runtime.base.received import TooMuch
from toolgen.runtime.base.shares import Shares, ShareUsedUp
from toolgen.serve.messages import WrongParams, check_message
from toolgen.spec.text import shown_name

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from opentelemetry.propagators.textmap import TextMapPropagator
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

escape_logs("mcp", shown=True)

PATH: Final = "/mcp"

_LOG: Final = logging.getLogger(__name__)

_CHECKED_BEFORE: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The SDK compares beginnings of Host and Origin, so `localhost:evil.com` would pass; `_foreign` checks them."""


_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_HOST: Final = re.compile(r"[^\s/*@]+")
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/*@]+")
_BODY_SECONDS: Final = 30.0
_SESSIONS: Final = 250
"""Sessions that each user may have open; they end with the client, or after half an hour without a request."""

REQUESTS: Final = 900
"""Requests of all clients that are open at the same time: fewer than the connections that the listener takes, so that
one more can be refused with a reason."""

_BODIES: Final = 256 * 1024 * 1024
"""Bytes of the bodies of all open requests."""

_BUCKETS: Final = 10_000

Authenticate: TypeAlias = "Callable[[str], str | Awaitable[str | None] | None]"
"""Returns the user of a bearer token; None for a token that is not good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """Who may call a server over HTTP, and how much.

    `authenticate` returns the user of a bearer token, None where it is not good; without it, everybody may call.
    `hosts` are the names by which clients reach the server, with or without a port; without any, those of loopback.
    `origins` are those of other pages (`https://app.example.com`) that may call it from a browser.
    `body_bytes` bounds each request, and `per_minute` the requests of each user, or of each address without one.
    """

    authenticate: Authenticate | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    body_bytes: int = 4 * 1024 * 1024
    per_minute: int = 1_200

    def __post_init__(self) -> None:
        """Raises ValueError for a name or an origin that no request could have."""
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"`{host}` is not a host name, such as tools.example.com or 192.0.2.1:8000")
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"`{origin}` is not an origin, such as https://app.example.com")


def _foreign(settings: HttpSettings, scope: Scope) -> tuple[int, str] | None:
    """Return why a request is not for a server, or is of a page that may not call it, with the status."""
    names = settings.hosts or _LOOPBACK
    hosts, origins = (header_values(scope["headers"], name) for name in (b"host", b"origin"))
    if len(hosts) != 1 or not is_host_of(hosts[0], names):
        return 421, _refused_header("Host", hosts)
    if origins and (len(origins) != 1 or not is_origin_of(origins[0], names, settings.origins)):
        return 403, _refused_header("Origin", origins)
    return None


def _refused_header(name: str, values: list[str]) -> str:
    """Log a header for the operator, who may have forgotten a name. Return what the client is told."""
    _LOG.warning("Invalid %s header: %s", name, shown_name(", ".join(values)))
    return f"Invalid {name} header"


class HttpEndpoint:
    """An ASGI app, which ends with the lifespan of its server, or by `stop`.

    One that is stateless has no sessions: each request may go to another server.
    """

    def __init__(
        self,
        protocol: Server[Any],
        settings: HttpSettings,
        on_stop: Callable[[], Awaitable[None]],
        *,
        is_stateless: bool = False,
    ) -> None:
        self.settings = settings
        self._is_stateless = is_stateless
        self.is_draining = False
        self._protocol = protocol
        self._on_stop = on_stop
        self._rates = _Rates(settings.per_minute)
        self._requests, self._bodies = Shares(REQUESTS), Shares(_BODIES)
        self._stopping = asyncio.Event()
        self._managers: dict[str | None, StreamableHTTPSessionManager] = {}
        self._ready: dict[str | None, asyncio.Event] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._checked: ASGIApp = self._request
        if settings.origins:
            self._checked = CORSMiddleware(
                self._request,
                allow_origins=[origin.lower() for origin in settings.origins],
                allow_methods=("GET", "POST", "DELETE"),
                allow_headers=("*",),
                expose_headers=("Mcp-Session-Id", "WWW-Authenticate", "Retry-After"),
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._checked(scope, receive, send)

    async def stop(self) -> None:
        """End all sessions."""
        self.is_draining = True
        self._stopping.set()
        await asyncio.gather(*self._keepers)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/") != PATH:
            return await _refuse(404, f"there is nothing here; tools are at {PATH}", scope, receive, send)
        if refusal := _foreign(self.settings, scope):
            return await _refuse(*refusal, scope, receive, send)
        if scope["method"] == "GET" and header_values(scope["headers"], b"last-event-id"):
            said = "streams are not resumed: open one without Last-Event-ID"
            return await _refuse(400, said, scope, receive, send)
        if self.is_draining:
            return await _refuse(503, "the server is shutting down", scope, receive, send, {"Retry-After": "5"})
        user = None
        if self.settings.authenticate is not None:
            user = await self._user(self.settings.authenticate, scope)
        client = ("user", user) if user is not None else ("address", _address(scope))
        wait = self._rates.wait(client)
        if wait:
            headers = {"Retry-After": str(int(wait) + 1)}
            return await _refuse(429, "too many requests", scope, receive, send, headers)
        if self.settings.authenticate is not None and user is None:
            headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            return await _refuse(401, "a bearer token that is good is needed", scope, receive, send, headers)
        try:
            with self._requests.held(client):
                return await self._admitted(user, client, scope, receive, send)
        except ShareUsedUp:
            said = "too many requests are open: the rest is for others"
            return await _refuse(429, said, scope, receive, send, {"Retry-After": "1"})

    async def _admitted(self, user: str | None, client: Hashable, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of a client, or of a user, who has a place."""
        if user is None:
            with _trace_of(scope):
                return await self._served(None, client, scope, receive, send)
        known = AuthenticatedUser(AccessToken(token="", client_id=user, subject=user, scopes=[]))
        token = auth_context_var.set(known)
        try:
            with _trace_of(scope):
                await self._served(user, client, {**scope, "user": known}, receive, send)
        finally:
            auth_context_var.reset(token)

    async def _served(self, user: str | None, client: Hashable, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self._manager_of(user)
        bounded = _BoundedBody(receive, send, self._bodies, client, self.settings.body_bytes)
        try:
            await manager.handle_request(scope, bounded.receive, bounded.send)
        except TooMuch as error:
            await _refuse(413, str(error), scope, receive, send)
        except WrongParams as error:
            await _refuse(400, str(error), scope, receive, send)
        except NotJson as error:
            await _refuse(400, f"the body is not JSON that can be read: {error.advice}", scope, receive, send)
        except _TooSlowError:
            await _refuse(408, "the body of the request did not come in time", scope, receive, send)
        finally:
            bounded.release()

    async def _user(self, authenticate: Authenticate, scope: Scope) -> str | None:
        scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return None
        found = authenticate(token)
        return await found if inspect.isawaitable(found) else found

    async def _manager_of(self, user: str | None) -> StreamableHTTPSessionManager:
        """Return what keeps the sessions of a user: nobody can use up those of others."""
        if user not in self._managers:
            manager = self._managers[user] = StreamableHTTPSessionManager(
                self._protocol,
                security_settings=_CHECKED_BEFORE,
                max_request_body_size=self.settings.body_bytes,
                max_sessions=_SESSIONS,
                stateless=self._is_stateless,
            )
            self._ready[user] = asyncio.Event()
            self._keepers.append(asyncio.create_task(self._keep(manager, self._ready[user])))
        await self._ready[user].wait()
        return self._managers[user]

    async def _keep(self, manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
        async with manager.run():
            ready.set()
            await self._stopping.wait()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._on_stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _address(scope: Scope) -> str:
    """Return the address of a client; empty where its server does not know it, as over a Unix socket."""
    client = scope.get("client")
    return str(client[0]) if client else ""


@contextmanager
def _trace_of(scope: Scope) -> Generator[None]:
    """Continue the trace of a request, by its headers, unless an ASGI middleware has done so.

    A trace context in `_meta` of a message takes precedence; the SDK reads it.
    """
    named = _trace_headers(get_global_textmap())
    if not any(name in named for name, _ in scope["headers"]) or get_current_span().get_span_context().is_valid:
        yield
        return
    token = attach(extract(Headers(scope=scope)))
    try:
        yield
    finally:
        detach(token)


@lru_cache(maxsize=4)
def _trace_headers(propagator: TextMapPropagator) -> frozenset[bytes]:
    """Return the headers that a propagator reads, in lower case, as ASGI has them."""
    return frozenset(name.lower().encode("latin-1", "replace") for name in propagator.fields)


async def _refuse(
    status: int, text: str, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str] | None = None
) -> None:
    await PlainTextResponse(text, status_code=status, headers=headers)(scope, receive, send)


class _TooSlowError(Exception):
    """The body of a request took too long."""


class _BoundedBody:
    """Receives the body of a request as one message, within its time, and within the share of its client in the memory.

    A body of more than `most` bytes is passed on as soon as that is known, and what comes after it as it comes.
    """

    def __init__(self, receive: Receive, send: Send, bodies: Shares, client: Hashable, most: int) -> None:
        self._receive, self._send = receive, send
        self._bodies, self._client, self._most, self._size = bodies, client, most, 0
        self._deadline: float | None = asyncio.get_running_loop().time() + _BODY_SECONDS
        self._after: Message | None = None

    async def receive(self) -> Message:
        """Receive the body, or what follows it.

        Raises `_TooSlowError`, `ShareUsedUp`, and what `check_message` raises.
        """
        if self._after is not None:
            message, self._after = self._after, None
            return message
        message = await self._part()
        if message["type"] != "http.request":
            return message
        body = bytearray(message.get("body", b""))
        while (goes_on := message.get("more_body", False)) and len(body) <= self._most:
            message = await self._part()
            if message["type"] != "http.request":
                self._after = message
                break
            body += message.get("body", b"")
        if not goes_on:
            check_message(bytes(body))
        return {"type": "http.request", "body": bytes(body), "more_body": goes_on}

    async def _part(self) -> Message:
        if self._deadline is None:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise _TooSlowError from None
        size = len(message.get("body", b""))
        if not self._bodies.take(self._client, size):
            raise ShareUsedUp
        self._size += size
        if not message.get("more_body", False):
            self._deadline = None
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response. A refusal names no session: the SDK would name one that has ended."""
        self._deadline = None
        if message["type"] == "http.response.start" and message["status"] >= 400:
            headers = [each for each in message["headers"] if each[0].lower() != b"mcp-session-id"]
            message = {**message, "headers": headers}
        await self._send(message)

    def release(self) -> None:
        """Give back the memory of the body."""
        self._bodies.give_back(self._client, self._size)


class _Rates:
    """Requests of each client: a bucket for one minute, which fills evenly. The least recent ones are forgotten."""

    def __init__(self, per_minute: int) -> None:
        self._most = per_minute
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def wait(self, client: tuple[str, str]) -> float:
        """Take one request of a client; 0, or the seconds until there is one again."""
        now = time.monotonic()
        left, since = self._buckets.pop(client, (float(self._most), now))
        left = min(self._most, left + (now - since) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._buckets[client] = (left if wait else left - 1, now)
        if len(self._buckets) > _BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return wait
