"""The listener: connections as they are set up, seen from the sockets of this process."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from toolgen.serve.http import HttpSettings
from toolgen.serve.listener import serve_http

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.serve.http import HttpEndpoint
    from toolgen.serve.server import ToolServer

pytestmark = pytest.mark.xdist_group("serve")


class App:
    """An application that answers with what a function says of the address of the client."""

    settings = HttpSettings()

    def __init__(self, said: Callable[[tuple[str, int]], str]) -> None:
        self._said = said

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        body = self._said(tuple(scope["client"])).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def drain(self, seconds: float) -> None: ...


def _is_delayed(client: tuple[str, int]) -> bool:
    found: list[int] = []
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  # the descriptors of this process
        try:
            with socket.socket(fileno=os.dup(int(name))) as opened:
                if opened.getpeername()[:2] == client:
                    found.append(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        except OSError:  # no socket, or one without a peer
            continue
    assert len(found) == 1, found
    return found == [0]


def answer_to(request: str, said: Callable[[tuple[str, int]], str]) -> str:
    async def main() -> bytes:
        app = App(said)
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(
            serve_http(cast("ToolServer", app), cast("HttpEndpoint", app), "127.0.0.1", 0, 1.0, url.set_result)
        )
        host, port = (await url).removeprefix("http://").partition("/")[0].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request.encode())
        answer = await reader.read()
        writer.close()
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
        return answer

    return asyncio.run(main()).decode().partition("\r\n\r\n")[2]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the sockets of a process are listed on Linux")
def test_answers_are_sent_without_waiting_for_the_clients_acknowledgement() -> None:
    request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert answer_to(request, lambda client: "delayed" if _is_delayed(client) else "at once") == "at once"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_a_client_does_not_choose_the_address_by_which_it_is_known(header: str) -> None:
    value = "for=192.0.2.1" if header == "Forwarded" else "192.0.2.1"
    request = f"GET / HTTP/1.1\r\nHost: x\r\n{header}: {value}\r\nConnection: close\r\n\r\n"
    assert answer_to(request, lambda client: client[0]) == "127.0.0.1"


def test_there_are_files_for_all_connections_and_for_tools() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        allowed = answer_to(
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            lambda _: str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert int(allowed) == min(4_000, hard if hard != resource.RLIM_INFINITY else 4_000)
