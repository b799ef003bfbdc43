"""A real redis-server for a test, on a socket in a separate folder: it uses no port and keeps nothing."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from redis import Redis

if TYPE_CHECKING:
    from collections.abc import Iterator


PASSWORD = "hunter2"


class RedisServer:
    """A server that can be stopped, paused and started again."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.uri = f"unix://:{PASSWORD}@{self.socket}"
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "dir": str(folder),
            "save": "",
            "appendonly": "no",
            "requirepass": PASSWORD,
        }
        self._command = ["redis-server", *(word for name, value in settings.items() for word in (f"--{name}", value))]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        while not self._is_listening():
            assert self._process.poll() is None, f"redis-server ended with {self._process.returncode}"
            time.sleep(0.005)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Suspend the server, so that it does not answer."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def client(self) -> Redis:
        """Return a client to inspect the stored data."""
        return Redis(unix_socket_path=str(self.socket), password=PASSWORD, decode_responses=True)

    def _is_listening(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self.socket))
            except OSError:
                return False
        return True


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """Run a server. If redis-server is not installed, the test is skipped."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    with TemporaryDirectory(prefix="redis") as folder:  # the paths of pytest's folders are too long for a socket
        server = RedisServer(Path(folder))
        try:
            yield server
        finally:
            server.stop()
