"""A local server that records requests."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from tests.unit.execute.http.api import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server(Recorder):
    """A recorder behind a socket, at `url`."""

    url: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    recorder = Server()
    with serving(recorder) as recorder.url:
        yield recorder


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an ASGI application behind a socket; gives its URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()
        listening.close()
