"""Listener: the HTTP endpoint of a server at an address, and how it ends."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM
from typing import TYPE_CHECKING, Any, Final, cast

import uvicorn
from sse_starlette.sse import AppStatus
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolgen.serve.http import PATH

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

    from toolgen.serve.http import HttpEndpoint
    from toolgen.serve.server import ToolServer

_CONNECTIONS: Final = 1_000
"""More than the requests of all clients that may be open. The one that waits longest for a request gives way."""

_FILES: Final = 4 * _CONNECTIONS
"""Files that the process may open: as many connections come at once before one gives way, and tools need some too."""

_HEAD_SECONDS: Final = 10.0

_JOINED: Final = 16 * 1024
"""Bytes that are held at most until the end of a turn of the loop."""


async def serve_http(
    server: ToolServer,
    endpoint: HttpEndpoint,
    host: str,
    port: int,
    grace: float,
    on_listening: Callable[[str], None] | None,
    stopped: asyncio.Event | None = None,
) -> None:
    """Serve until a signal stops the process, or the event does. Raises OSError and ValueError."""
    if not is_loopback(host) and endpoint.settings.authenticate is None:
        raise ValueError(f"{host} can be reached from other machines: clients need tokens there")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    _allow_files()
    with socket.create_server((host, port), family=family, backlog=_CONNECTIONS) as listening:
        config = uvicorn.Config(
            server,
            http=_Protocol,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # whoever has no token is known by address, and must not choose it
            limit_concurrency=_CONNECTIONS,
            backlog=_CONNECTIONS,
            timeout_graceful_shutdown=2,
        )
        where = f"[{host}]" if ":" in host else host
        if on_listening is not None:
            on_listening(f"http://{where}:{listening.getsockname()[1]}{PATH}")
        await _Listener(config, server, grace, stopped).serve([listening])


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _allow_files() -> None:
    """Let the process open files as far as the system allows: most allow 1,024 until a program asks for more."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _FILES:
        most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Protocol(H11Protocol):
    """A connection, closed if the head of a request does not come in time, or if another one needs its place.

    Idle ones would use up all that may be, and whoever has no token can open them.
    """

    _due: asyncio.TimerHandle | None = None
    _idle_since: float

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it too
        opened: socket.socket = transport.get_extra_info("socket")
        # asyncio sets it only where a socket names its protocol, which accepted ones of `create_server` do not. Without
        # it an answer in two parts waits for the client's delayed acknowledgement, 40 ms.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._joined = _Joined(transport)
        super().connection_made(cast("asyncio.Transport", self._joined))
        self._idle_since = self.loop.time()
        self._expect_head()
        if len(self.connections) >= _CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._awaits_head():
            self._stop_timer()
        elif self._due is None:
            self._expect_head()

    def on_response_complete(self) -> None:
        self._joined.flush()
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        others = [each for each in self.connections if isinstance(each, _Protocol)]
        idle = [each for each in others if each._awaits_head()]  # noqa: SLF001  # they are of this class
        oldest = min(idle, key=lambda each: each._idle_since)  # noqa: SLF001  # this one is among them
        self.connections.discard(oldest)  # several may come before the loop tells it that it has ended
        oldest.transport.abort()

    def _awaits_head(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return cycle is None or cycle.response_complete

    def _expect_head(self) -> None:
        self._due = self.loop.call_later(_HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class _Joined:
    """A transport that sends what is written in one turn of the loop at once: uvicorn writes a head, then its body."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._held = b""

    def write(self, data: bytes) -> None:
        """Send some bytes by the end of this turn, or what is there, once it is much."""
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held += data
        if len(self._held) > _JOINED:
            self.flush()

    def close(self) -> None:
        """Send the rest, and close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def flush(self) -> None:
        """Send what is held."""
        held, self._held = self._held, b""
        if held:
            self._transport.write(held)


class _Listener(uvicorn.Server):
    """A server that lets calls end: it stops to listen first, and cuts streams without a call last."""

    def __init__(self, config: uvicorn.Config, server: ToolServer, grace: float, stopped: asyncio.Event | None) -> None:
        super().__init__(config)
        self._server = server
        self._grace = grace
        self._stopped = stopped

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at a signal. Without the handler of uvicorn: sse-starlette would cut the streams of running calls."""
        if self._stopped is not None:
            waiting = asyncio.ensure_future(self._stopped.wait())
            waiting.add_done_callback(lambda _: self._stop())
            try:
                yield
            finally:
                waiting.cancel()
            return
        loop = asyncio.get_running_loop()
        for each in (SIGTERM, SIGINT):
            loop.add_signal_handler(each, self._stop)
        try:
            yield
        finally:
            for each in (SIGTERM, SIGINT):
                loop.remove_signal_handler(each)

    def _stop(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for the calls that run, and end the rest."""
        for listening in self.servers:
            listening.close()
        await self._server.drain(self._grace)
        AppStatus.should_exit = True  # ends the streams that clients keep open for messages
        try:
            await super().shutdown(sockets)
        finally:
            AppStatus.should_exit = False
