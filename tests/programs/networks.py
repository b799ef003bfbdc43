"""Networks between a program and its Postgres server that tests cut: a proxy on a port of this machine.

The port is open to the users of this machine as long as the proxy runs.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

Cut: TypeAlias = Literal["delayed", "dropped", "half closed"]
"""What becomes of connections while a network is cut.

What is sent is delivered later; or it is lost, and the connections are reset in the end; or the server sees at once
that they are closed, and the program does only in the end. New connections wait.
"""

_CHUNK: Final = 1 << 16


class Network:
    """A network that leads from a port of this machine to the socket of a server."""

    def __init__(self, socket: Path) -> None:
        self.port = 0
        self._socket: Final = socket
        self._is_up: Final = asyncio.Event()
        self._is_up.set()
        self._connections: Final[set[_Connection]] = set()
        self._tasks: Final[set[asyncio.Task[None]]] = set()

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Network]:
        """Accept connections, as a context. In the end all are reset."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for connection in list(self._connections):
                connection.reset()
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)

    def url(self, url: str) -> str:
        """Return the URL of a database of the server by way of this network."""
        return f"postgresql://postgres@127.0.0.1:{self.port}{urlsplit(url).path}"

    async def cut(self, cut: Cut, seconds: float) -> None:
        """Cut the network for so many seconds."""
        self._is_up.clear()
        held = list(self._connections)
        if cut == "half closed":
            for connection in held:
                connection.close_to_server()
        await asyncio.sleep(seconds)
        if cut != "delayed":
            for connection in held:
                connection.reset()
        self._is_up.set()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        connection = _Connection(writer)
        self._connections.add(connection)
        try:
            await self._is_up.wait()
            await connection.lead(reader, self._socket, self._is_up)
        except OSError:
            pass  # the server is away, or a connection was reset
        finally:
            connection.reset()
            self._connections.discard(connection)
            self._tasks.discard(task)


class _Connection:
    """A connection of a program, and the one to the server that belongs to it."""

    def __init__(self, program: asyncio.StreamWriter) -> None:
        self._program: Final = program
        self._server: asyncio.StreamWriter | None = None

    async def lead(self, program: asyncio.StreamReader, socket: Path, is_up: asyncio.Event) -> None:
        """Pass on what both sides send, until one of them closes."""
        server, self._server = await asyncio.open_unix_connection(socket)
        ways = [
            asyncio.create_task(_pass(program, self._server, is_up)),
            asyncio.create_task(_pass(server, self._program, is_up)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            await is_up.wait()  # a program does not learn that the server is gone while the network is cut
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)

    def close_to_server(self) -> None:
        if self._server is not None:
            self._server.transport.abort()

    def reset(self) -> None:
        self._program.transport.abort()
        self.close_to_server()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_up: asyncio.Event) -> None:
    with suppress(OSError):
        while sent := await reader.read(_CHUNK):
            await is_up.wait()
            writer.write(sent)
            await writer.drain()
