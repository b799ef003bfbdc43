"""Listener: an explorer at an address, until the process is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from toolgen.explore.app import Explorer


async def serve_http(app: Explorer, host: str, port: int, on_listening: Callable[[str], None] | None) -> None:
    """Serve until the process gets SIGTERM or SIGINT. Raises OSError for an address that cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        where = f"[{host}]" if ":" in host else host
        if on_listening is not None:
            on_listening(f"http://{where}:{listening.getsockname()[1]}{app.start_path}")
        config = uvicorn.Config(
            app,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        await uvicorn.Server(config).serve([listening])
