"""A proxy between clients and a real Postgres server, which cuts connections at a chosen moment."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.programs.postgres import PostgresServer


class Proxy:
    """Passes bytes on between clients and a server, and cuts one connection once after `parts` parts from the client.

    The server has then got the last part, and the client gets no answer to it. With `is_last` all connections are cut
    then, and there are no others.
    """

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self.folder = folder
        """The folder of its socket, which stands in an URL for that of the server."""
        self._target = str(server.folder / ".s.PGSQL.5432")
        self.parts: int | None = None
        self.is_last = False
        self._clients: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / ".s.PGSQL.5432"))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return  # closed
            self._clients.append(client)
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._target)
            answering = threading.Thread(target=self._pass_on, args=(server, client, client.sendall))
            answering.start()
            self._pass_on(client, server, lambda data: self._send(data, client, server))
            answering.join()

    def _send(self, data: bytes, client: socket.socket, server: socket.socket) -> None:
        if self.parts is not None:
            self.parts -= 1
            if self.parts < 0:
                self.parts = None
                client.shutdown(socket.SHUT_RDWR)  # before the server can answer
                if self.is_last:
                    self._end()
        server.sendall(data)

    def _pass_on(self, source: socket.socket, target: socket.socket, send: Callable[[bytes], None]) -> None:
        with suppress(OSError):  # the other side is gone
            while data := source.recv(65536):
                send(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        self.close()
        for each in self._clients:
            with suppress(OSError):  # it has ended
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):  # it is closed
            self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()


@contextmanager
def proxy(server: PostgresServer) -> Iterator[Proxy]:
    """Return a proxy of a server."""
    with TemporaryDirectory() as folder:  # the path of a socket is short
        passing = Proxy(Path(folder), server)
        try:
            yield passing
        finally:
            passing.close()
