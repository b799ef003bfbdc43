"""Stdio: one client, whose messages come by stdin and whose answers go to stdout."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from signal import SIGINT, SIGTERM
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from toolgen.runtime.base.json_text import NotJson
from toolgen.runtime.base.received import TooMuch
from toolgen.serve.messages import WrongParams, check_message

if TYPE_CHECKING:
    from anyio.abc import ObjectSendStream
    from mcp.shared._stream_protocols import WriteStream

    from toolgen.serve.server import ToolServer

LINE_BYTES: Final = 4 * 1024 * 1024
"""Bytes of a message, as of a request over HTTP; a longer one is refused without keeping it."""

_AHEAD: Final = 10
"""Messages that are read ahead."""

Read: TypeAlias = SessionMessage | JSONRPCError
"""A message, or the answer to a line that holds none."""


async def serve_stdio(server: ToolServer, grace: float, given: asyncio.Event | None) -> None:
    """Serve until the client closes stdin, or no longer reads stdout, or a signal stops the process, or the event does.

    A line that is no message is answered with an error: for its id if that can be read, or else for the id null.
    Raises OSError where the process has no stdin or stdout.
    """
    if sys.stdin is None or not _can_write():
        raise OSError("a server for stdio needs stdin and stdout, and one of them is closed")
    stopped = given or asyncio.Event()
    lines = _Lines()
    try:
        with nullcontext() if given else _signals(stopped), _stdin_of_client() as descriptor:
            Thread(target=lines.read, args=(descriptor,), name="toolgen stdin", daemon=True).start()
            nothing: Any = _nothing()
            async with stdio_server(stdin=nothing) as (unused, outgoing):
                await unused.aclose()
                messages, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
                options = server.protocol.create_initialization_options()
                reading = asyncio.create_task(lines.pass_on(messages, outgoing))
                serving = asyncio.create_task(server.protocol.run(incoming, outgoing, options))
                stop = asyncio.create_task(stopped.wait())
                await asyncio.wait([serving, stop], return_when=asyncio.FIRST_COMPLETED)
                if stop.done():
                    await server.drain(grace)
                stop.cancel()
                lines.end()
                await reading
                await serving
                sys.stdout.flush()  # what handlers printed, while it goes to stderr: stdout is the client's
    except* BrokenPipeError:
        pass  # the client has ended
    finally:
        await server.close()


def _can_write() -> bool:
    """Return whether stdout can be written: it may be closed, or stand for a closed one."""
    try:
        return sys.stdout is not None and os.write(sys.stdout.fileno(), b"") == 0
    except OSError:
        return False


async def _nothing() -> AsyncIterator[str]:
    """Stand for stdin, which `_Lines` reads."""
    lines: tuple[str, ...] = ()
    for line in lines:
        yield line


class _Lines:
    """The lines of stdin. A thread reads them that is not waited for: it may never see the end."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._read = asyncio.Queue[Read](_AHEAD)
        self._ended = asyncio.Event()

    def read(self, descriptor: int) -> None:
        """Read to the end; runs in the thread."""
        with suppress(RuntimeError), open(descriptor, "rb", closefd=False) as stream:
            while line := stream.readline(LINE_BYTES + 1):
                is_whole = len(line) <= LINE_BYTES or line.endswith(b"\n")
                if (read := message_of(line, is_whole=is_whole)) is not None:
                    asyncio.run_coroutine_threadsafe(self._read.put(read), self._loop).result()
                while not is_whole:
                    rest = stream.readline(LINE_BYTES)
                    is_whole = not rest or rest.endswith(b"\n")
            self._loop.call_soon_threadsafe(self.end)  # RuntimeError: the loop is closed

    def end(self) -> None:
        """End the lines here."""
        self._ended.set()

    async def pass_on(
        self, messages: ObjectSendStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]
    ) -> None:
        """Pass on the messages that came before the end, and answer the lines that are none."""
        async with messages:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
                async for read in self._before_end():
                    if isinstance(read, JSONRPCError):
                        await outgoing.send(SessionMessage(read))
                    else:
                        await messages.send(read)

    async def _before_end(self) -> AsyncIterator[Read]:
        ended = asyncio.create_task(self._ended.wait())
        try:
            while True:
                read = asyncio.create_task(self._read.get())
                await asyncio.wait([read, ended], return_when=asyncio.FIRST_COMPLETED)
                if not read.done():
                    read.cancel()
                    return
                yield read.result()
        finally:
            ended.cancel()


def message_of(line: bytes, *, is_whole: bool = True) -> Read | None:
    """Return the message of a line, or an error where it is none; None for a line that asks for no answer.

    The error is for the id of the request if that can be read, and else for the id null (JSON-RPC 2.0, section 5).
    """
    if not is_whole:
        return _error(line, INVALID_REQUEST, f"the message has more than {LINE_BYTES:,} bytes")
    if not line.strip():
        return None
    try:
        check_message(line)
    except TooMuch as error:
        return _error(line, INVALID_REQUEST, str(error))
    except WrongParams as error:
        return _error(line, INVALID_PARAMS, str(error))
    except NotJson as error:
        return _error(line, PARSE_ERROR, f"the line is not JSON that can be read: {error.advice}")
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        if line.lstrip().startswith(b"["):
            return _error(line, INVALID_REQUEST, "batches are not supported: send each message on a line of its own")
        problem = 'the line is no message: a request has `jsonrpc` ("2.0"), `id`, `method`, and an object as `params`'
        return _error(line, INVALID_REQUEST, problem)
    # The id null or of another type: without this, the request would be taken for a notification.
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in from_json(line):
        return _error(line, INVALID_REQUEST, "the id of a request is a text or an integer")
    return SessionMessage(message)


def _error(line: bytes, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=ErrorData(code=code, message=message))


_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[{]++|[\]}]++|[,:]|[^\s"\[\]{},:]++', re.DOTALL)
_INTEGER: Final = re.compile(r"-?\d{1,18}")


def _id_of(line: bytes) -> RequestId | None:
    """Return the id of a request that cannot be read as a whole; of an answer none, because its id is the server's."""
    values = dict(_scalars(line.decode(errors="replace")))
    found = values.get('"id"', "")
    if '"method"' not in values:
        return None
    if _INTEGER.fullmatch(found):
        return int(found)
    try:
        text = json.loads(found)
        text.encode()
    except (ValueError, AttributeError):  # no text, or one that UTF-8 has no bytes for
        return None
    return str(text)


def _scalars(text: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of an object and their values that are neither objects nor lists, as they are written.

    In time linear in the text, whatever it is, and however deep.
    """
    depth, key, before = 0, "", ""
    for found in _TOKEN.finditer(text):
        token = found[0]
        kind = token[0]
        if kind in "[{":
            depth += len(token)
        elif kind in "]}":
            depth -= len(token)
        elif depth == 1 and kind not in ",:":
            if before == ":":
                yield key, token
            key = token
        before = kind


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
