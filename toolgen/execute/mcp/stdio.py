"""Stdio: a server as a process of its own, whose messages are the lines of its stdout.

A line has a bound. A message that cannot be read ends the request that waits for it; what a server prints beside its
messages is ignored. Its stderr goes to that of this process, line by line, with its name before each, and escaped.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter

from toolgen.execute.mcp.limits import check_message
from toolgen.execute.processes import ProcessSession
from toolgen.runtime.base.received import ANSWER_BYTES, TooMuch
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

_LEAVES_WITHIN: Final = 2.0
"""Seconds that a server has to end once its stdin is closed, and again after SIGTERM."""

_FLUSH_SECONDS: Final = 0.5
_NOISE: Final = 10_000
"""Lines that are no messages, at most."""

_LOG_LINE: Final = 1_000
"""Characters of one line of stderr that are shown."""

_LOG_BYTES: Final = 256 * 1024
"""Bytes of stderr that are shown of one process."""

_ENDS: Final = 64 * 1024
"""Bytes at both ends of an unreadable line in which its id is looked for."""

_ID: Final = re.compile(rb'"id"\s*:\s*(?:"((?:[^"\\]|\\.){0,200})"|(-?\d{1,20}))')


@asynccontextmanager
async def stdio_server(
    argv: list[str],
    *,
    env: Mapping[str, str],
    cwd: str | Path | None,
    name: str,
    hide: Callable[[str], str],
    at_abandon: list[Callable[[], object]],
) -> AsyncGenerator[Any]:
    """Start a server; its streams are those of a transport of the SDK.

    What ends it once the event loop is closed is added to `at_abandon`, except on Windows. `name` is shown before each
    line of its stderr, which `hide` removes credentials from. Raises OSError and ValueError for a program that cannot
    be started. All processes that it started end with it.
    """
    environment = {**get_default_environment(), **env}
    if os.name != "posix":
        parameters = StdioServerParameters(command=argv[0], args=argv[1:], env=environment, cwd=cwd)
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # noqa: ASYNC230  # it never blocks
            async with stdio_client(parameters, nowhere) as streams:
                yield streams
        return
    where = None if cwd is None else os.fspath(cwd)
    session = ProcessSession(argv, cwd=where, env=environment, stdin=subprocess.PIPE)
    server = _Server(session, _Log(name, hide))
    at_abandon.append(server.abandon)
    try:
        async with server.incoming_sender:
            await server.open()
            yield server.incoming, server.outgoing
    finally:
        await server.close()


class _Server:
    """The streams of one process, and the tasks that fill and empty them."""

    def __init__(self, session: ProcessSession, log: _Log) -> None:
        self._session, self._log = session, log
        self.incoming_sender, self.incoming = _stream()
        self.outgoing, self._outgoing_receiver = _stream()
        self._waiting: set[str | int] = set()
        self._noise = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._pipes: list[asyncio.BaseTransport] = []

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        leader = self._session.leader
        lines, log = asyncio.StreamReader(limit=ANSWER_BYTES), asyncio.StreamReader(limit=_LOG_LINE)
        for reader, pipe in ((lines, leader.stdout), (log, leader.stderr)):
            read, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, reader), pipe)
            self._pipes.append(read)
        protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        written, _ = await loop.connect_write_pipe(lambda: protocol, leader.stdin)
        self._stdin = asyncio.StreamWriter(written, protocol, None, loop)
        self._pipes.append(written)
        self._writing = asyncio.create_task(self._write())
        self._tasks = [asyncio.create_task(self._read(lines)), asyncio.create_task(self._log.copy(log)), self._writing]

    async def close(self) -> None:
        """Stop traffic, let the server end by itself, then end it with all that it started."""
        try:
            self.incoming.close()
            self.outgoing.close()
            if self._tasks:
                await asyncio.wait([self._writing], timeout=_FLUSH_SECONDS)
                self._stdin.close()
                await asyncio.wait([self._session.exited], timeout=_LEAVES_WITHIN)
            await self._session.end(_LEAVES_WITHIN)
        finally:
            self._session.kill()
            for task in self._tasks:
                task.cancel()
            self._close_pipes()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def abandon(self) -> None:
        """Kill the server of a loop that is closed, with all that it started."""
        self._session.kill()
        self._close_pipes()
        for stream in (self.incoming, self.incoming_sender, self.outgoing):
            stream.close()

    def _close_pipes(self) -> None:
        for pipe in self._pipes:
            if not pipe.get_extra_info("pipe").closed:
                pipe.abort() if isinstance(pipe, asyncio.WriteTransport) else pipe.close()
        self._outgoing_receiver.close()

    async def _read(self, lines: asyncio.StreamReader) -> None:
        try:
            async with self.incoming_sender:
                try:
                    while line := await _line(lines):
                        for message in await self._messages(line):
                            await self.incoming_sender.send(message)
                except TooMuch as error:
                    await self.incoming_sender.send(error)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # the session is over; the server may still write, and ends only if that is read
        with suppress(OSError):  # the pipe is gone, and with it what was left
            while await lines.read(ANSWER_BYTES):
                pass

    async def _write(self) -> None:
        with suppress(OSError):  # the server has ended, or closed its stdin: `_read` sees the end
            async with self._outgoing_receiver:
                async for sent in self._outgoing_receiver:
                    if isinstance(sent.message, JSONRPCRequest):
                        self._waiting.add(sent.message.id)
                    text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._stdin.write(text.encode() + b"\n")
                    await self._stdin.drain()

    async def _messages(self, line: bytes) -> list[SessionMessage]:
        """Return the message of a line; where it cannot be read, an error for each request that may wait for it.

        Raises `TooMuch` for too many lines that are no messages.
        """
        try:
            await check_message(line)
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValueError, TooMuch) as error:
            if b'"jsonrpc"' not in line:
                self._noise += 1
                if self._noise > _NOISE:
                    raise TooMuch(f"the server printed more than {_NOISE:,} lines that are no messages") from None
                return []
            return self._failed(self._waiting_for(line), str(error))
        if not isinstance(message, JSONRPCRequest) and (answered := getattr(message, "id", None)) is not None:
            self._waiting.discard(answered)
        return [SessionMessage(message)]

    def _failed(self, requests: set[str | int], reason: str) -> list[SessionMessage]:
        """Return an error for each of some requests that wait."""
        error = ErrorData(code=PARSE_ERROR, message=reason)
        self._waiting = self._waiting - requests
        return [SessionMessage(JSONRPCError(jsonrpc="2.0", id=each, error=error)) for each in requests]

    def _waiting_for(self, line: bytes) -> set[str | int]:
        """Return the requests that an unreadable line may answer: those whose id is in it, or else all."""
        ends = line if len(line) < 2 * _ENDS else line[:_ENDS] + line[-_ENDS:]
        found = {text.decode("utf-8", "replace") if text else int(number) for text, number in _ID.findall(ends)}
        return (found & self._waiting) or set(self._waiting)


class _Log:
    """The stderr of a server, as lines of that of this process."""

    def __init__(self, name: str, hide: Callable[[str], str]) -> None:
        self._prefix = f"[{visible(' '.join(name.split()))[:60]}] "
        self._hide = hide
        self._shown = 0

    async def copy(self, stream: asyncio.StreamReader) -> None:
        """Show what comes, up to a bound; read all of it, so that the server is not held up.

        A line is shown when it has ended: what is secret in it is found in the whole of it.
        """
        rest = bytearray()
        while data := await stream.read(65_536):
            if self._shown > _LOG_BYTES:
                continue
            self._shown += len(data)
            rest += data
            if b"\n" in data:
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    self.say(line.decode("utf-8", "replace"))
            if self._shown > _LOG_BYTES:
                self.say(f"it wrote more than {_LOG_BYTES:,} bytes to stderr: the rest is not shown")
        if rest and self._shown <= _LOG_BYTES:
            self.say(rest.decode("utf-8", "replace"))

    def say(self, text: str) -> None:
        """Show a line."""
        if sys.stderr is not None and text.strip():
            shown = visible(self._hide(text.rstrip("\r"))[:_LOG_LINE])
            with suppress(OSError, ValueError):  # it is closed
                sys.stderr.write(f"{self._prefix}{shown}\n")
                sys.stderr.flush()


def _stream() -> tuple[MemoryObjectSendStream[Any], MemoryObjectReceiveStream[Any]]:
    """Return the ends of a stream of messages. An exception in it ends the connection, for the reason that it names."""
    return anyio.create_memory_object_stream[Any](0)


async def _line(lines: asyncio.StreamReader) -> bytes:
    """Read a line; empty at the end. Raises `TooMuch`."""
    try:
        return await lines.readuntil(b"\n")
    except asyncio.IncompleteReadError as end:
        return end.partial
    except asyncio.LimitOverrunError:
        raise TooMuch(f"the server sent a line of more than {ANSWER_BYTES:,} bytes") from None
    except OSError:
        return b""
