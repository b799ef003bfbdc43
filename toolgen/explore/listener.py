"""Listener: an explorer at an address, until the process is stopped."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Router

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from toolgen.explore.app import Explorer


_PATH: Final = 32
"""Characters of the path below which an explorer is."""


async def serve_http(app: Explorer, host: str, port: int, on_listening: Callable[[str], None] | None) -> None:
    """Serve until the process gets SIGTERM or SIGINT. Raises OSError for an address that cannot be had.

    All paths are below one that nobody can guess: browsers send a cookie to each port of a host, but to its path only.
    """
    below = f"/{app.settings.signed('path')[:_PATH]}"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        where = f"[{host}]" if ":" in host else host
        if on_listening is not None:
            on_listening(f"http://{where}:{listening.getsockname()[1]}{below}{app.start_path}")
        config = uvicorn.Config(
            _mounted(app, below),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        await uvicorn.Server(config).serve([listening])


def _mounted(app: Explorer, below: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    elsewhere = PlainTextResponse("open the address that `toolgen explore` has printed\n", 404)
    router = Router([Mount(below, app)], default=elsewhere, redirect_slashes=False)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["type"] == "lifespan" else router)(scope, receive, send)

    return serve
