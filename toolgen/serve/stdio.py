"""Stdio: one client, whose messages come by stdin and whose answers go to stdout."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager, nullcontext, suppress
from signal import SIGINT, SIGTERM
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from toolgen.serve.server import ToolServer

_LINES: Final = 100
"""Messages that are read ahead."""


async def serve_stdio(server: ToolServer, grace: float, given: asyncio.Event | None) -> None:
    """Serve until the client closes stdin, or no longer reads stdout, or a signal stops the process, or the event does.

    Raises OSError where the process has no stdin or stdout.
    """
    if sys.stdin is None or sys.stdout is None:
        raise OSError("a server for stdio needs stdin and stdout, and one of them is closed")
    stopped = given or asyncio.Event()
    lines = _Lines()
    try:
        with nullcontext() if given else _signals(stopped), _stdin_of_client() as descriptor:
            Thread(target=lines.read, args=(descriptor,), name="toolgen stdin", daemon=True).start()
            source: Any = lines
            async with stdio_server(stdin=source) as (incoming, outgoing):
                options = server.protocol.create_initialization_options()
                serving = asyncio.create_task(server.protocol.run(incoming, outgoing, options))
                stop = asyncio.create_task(stopped.wait())
                await asyncio.wait([serving, stop], return_when=asyncio.FIRST_COMPLETED)
                if stop.done():
                    await server.drain(grace)
                stop.cancel()
                lines.end()
                await serving
                sys.stdout.flush()  # what handlers printed, while it goes to stderr: stdout is the client's
    except* BrokenPipeError:
        pass  # the client has ended
    finally:
        await server.close()


class _Lines:
    """The lines of stdin. A thread reads them that is not waited for: it may never see the end."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines = asyncio.Queue[str | None](_LINES)
        self._ended = asyncio.Event()

    def read(self, descriptor: int) -> None:
        """Read to the end; runs in the thread."""
        with suppress(RuntimeError), open(descriptor, encoding="utf-8", errors="replace", closefd=False) as stream:
            for line in stream:
                asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
            self._loop.call_soon_threadsafe(self.end)  # RuntimeError: the loop is closed

    def end(self) -> None:
        """End the lines here."""
        self._ended.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines that came before the end."""
        ended = asyncio.create_task(self._ended.wait())
        try:
            while True:
                line = asyncio.create_task(self._lines.get())
                await asyncio.wait([line, ended], return_when=asyncio.FIRST_COMPLETED)
                if not line.done():
                    line.cancel()
                    return
                yield line.result() or ""
        finally:
            ended.cancel()


@contextmanager
def _signals(stopped: asyncio.Event) -> Generator[None]:
    loop = asyncio.get_running_loop()
    for each in (SIGTERM, SIGINT):
        loop.add_signal_handler(each, stopped.set)
    try:
        yield
    finally:
        for each in (SIGTERM, SIGINT):
            loop.remove_signal_handler(each)


@contextmanager
def _stdin_of_client() -> Generator[int]:
    """Keep stdin from handlers and the programs that they start: they would read what the client sends."""
    own = sys.stdin.fileno()
    client = os.dup(own)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, own)
    os.close(nothing)
    try:
        yield client
    finally:
        os.dup2(client, own)
