"""Hostile peers: servers on real sockets that answer any HTTP request with the same bytes, and what those may be."""

from __future__ import annotations

import gzip
import re
import socket
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Attack:
    """An answer: its headers, and the parts of its body, which may have no end. `limit` is what stops it."""

    body: Callable[[], Iterable[bytes]]
    limit: str
    headers: tuple[str, ...] = ("Content-Type: application/json",)
    status: str = "200 OK"


@cache
def bomb() -> bytes:
    """Return how 1 GB of zeros begins, compressed: a block for each megabyte, and no end, which nobody reads."""
    packer = zlib.compressobj(9, wbits=31)
    first, block = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + block * 999


@cache
def layers() -> bytes:
    """Return 64 MB of blanks, compressed three times: less than a kilobyte."""
    return gzip.compress(gzip.compress(gzip.compress(b" " * (64 << 20))))


def endless() -> Iterator[bytes]:
    yield b'"'
    while True:
        yield b"x" * 65_536


def empty_blocks() -> Iterator[bytes]:
    """Yield blocks of deflate that stand for nothing, on and on."""
    packer = zlib.compressobj(wbits=31)
    yield packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    while True:
        yield b"\x00\x00\x00\xff\xff" * 10_000


_GZIP = ("Content-Type: application/json", "Content-Encoding: gzip")
ATTACKS = {
    "layers": Attack(lambda: [layers()], "layers of content coding", (_GZIP[0], "Content-Encoding: gzip, gzip, gzip")),
    "repeated header": Attack(lambda: [layers()], "layers of content coding", (*_GZIP, "Content-Encoding: gzip")),
    "bomb": Attack(lambda: [bomb()], "16777216 bytes|16,777,216 bytes|64 MiB|67,108,864 bytes|256 KiB", _GZIP),
    "no coding": Attack(lambda: [b"x" * 100], "not compressed as it says", _GZIP),
    "cut": Attack(lambda: [gzip.compress(b"[1]")[:-9]], "has no end", _GZIP),
    "unasked": Attack(lambda: [b"x"], "was not asked for", (_GZIP[0], "Content-Encoding: br")),
    "endless": Attack(endless, "bytes|MiB"),
    "endless nothing": Attack(empty_blocks, "bytes", _GZIP),
    "values": Attack(lambda: [b"[" + b"[]," * 5_000_000 + b"[]]"], "JSON values|bytes"),
    "depth": Attack(lambda: [b"[" * 100_000 + b"]" * 100_000], "levels deep"),
}


@dataclass
class Peer:
    """A server: where it is, and how many bytes of a body its clients let it send."""

    url: str = ""
    sent: int = 0
    requests: list[bytes] = field(default_factory=list[bytes])


@contextmanager
def answering(attack: Attack, paths: tuple[bytes, ...] = (b"/",), others: bytes = b"") -> Iterator[Peer]:
    """Serve an attack at the paths that begin with one of `paths`, and the bytes `others` elsewhere."""
    listening = socket.create_server(("127.0.0.1", 0))
    peer = Peer(f"http://127.0.0.1:{listening.getsockname()[1]}")

    def serve(connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head and (part := connection.recv(65_536)):
                head += part
            if not head:
                return  # the client has gone
            head, _, content = head.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            while length and len(content) < int(length[1]):
                content += connection.recv(65_536)
            peer.requests.append(head)
            if not head.split(b" ")[1].startswith(paths):
                connection.sendall(others)
                return
            lines = [f"HTTP/1.1 {attack.status}", *attack.headers, "Connection: close", "", ""]
            try:
                connection.sendall("\r\n".join(lines).encode())
                for part in attack.body():
                    for start in range(0, len(part), 65_536):
                        connection.sendall(part[start : start + 65_536])
                        peer.sent += len(part[start : start + 65_536])
            except OSError:
                return  # the client has read enough

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield peer
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
