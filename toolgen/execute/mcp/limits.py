"""Limits: what a server may send on a connection, by any transport, and what an answer to a request may cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self

import httpx2
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse
from pydantic_core import from_json

from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.base.received import (
    ACCEPT_ENCODING,
    ANSWER_BYTES,
    ERROR_BYTES,
    Body,
    Decoder,
    TooMuch,
    Unreadable,
    check_json,
)
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from toolgen.runtime.redact.sent import SentCredentials

CONTENT_BLOCKS: Final = 1_000
"""Blocks of the result of one call."""

LISTED: Final = 10_000
"""Tools, resources, templates of resources, and prompts of one page of a list."""

MESSAGES: Final = 10_000
"""Messages that a server may send in a minute without an answer to a request among them."""

LINES: Final = 50_000
"""Lines of a stream of events in a minute: five of each of `MESSAGES`. Reading so many holds up a loop for 0.1 s."""

MEMBERS: Final = 32
"""Members of a message: JSON-RPC has at most four."""

_MINUTE: Final = 60.0
_ITEMS: Final = (
    ("content", CONTENT_BLOCKS, "content blocks"),
    *((kind, LISTED, f"{kind} on one page") for kind in ("tools", "resources", "resourceTemplates", "prompts")),
)
"""The lists of a result whose items are validated one by one, against several models each."""

_EVENTS: Final = "text/event-stream"
_END_OF_EVENT: Final = b"\n\n"


class _Watched:
    """A stream of the SDK."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._stream.__aexit__(*raised)


class Incoming(_Watched):
    """The messages of a server, as a stream of the SDK, which says when it ends.

    The SDK tells a client of the end only with its next request. A result with too many items becomes an error; after
    a message that cannot be read, and after too many messages without an answer, the stream ends: `failure` says why.
    More answers than `requests` were sent are messages as any other. `read` returns a result as the SDK is to read it.
    """

    def __init__(self, stream: Any, ended: asyncio.Event, read: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        super().__init__(stream)
        self._ended, self._read = ended, read
        self._since, self._count = monotonic(), 0
        self.requests = 0
        self.failure = ""

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await anext(self._stream)
        except BaseException:  # the end, or what ends the SDK's reading of it; raised again
            self._ended.set()
            raise
        if isinstance(item, SessionMessage):
            try:
                item = self._admitted(item)
            except Exception as error:  # noqa: BLE001  # of toolgen: the SDK would say that the connection is closed
                warn("a message of an MCP server cannot be handled", error=error)
                self.failure = f"a message of the server cannot be handled: {type(error).__name__}"
        elif isinstance(item, TooMuch):
            self.failure = str(item)
        elif isinstance(item, ValueError):
            self.failure = "the server sent a message that is not one of JSON-RPC"
        if self.failure:
            self._ended.set()
            raise StopAsyncIteration
        return item

    def _admitted(self, item: SessionMessage) -> SessionMessage:
        message = item.message
        if self.requests and isinstance(message, JSONRPCResponse | JSONRPCError):
            self.requests -= 1
            self._count = 0
        else:
            self._take_count()
        if isinstance(message, JSONRPCResponse):
            if excess := _excess(message.result):
                error = ErrorData(code=PARSE_ERROR, message=excess)
                return SessionMessage(JSONRPCError(jsonrpc="2.0", id=message.id, error=error))
            message.result = self._read(message.result)
        return item

    def _take_count(self) -> None:
        now = monotonic()
        if now - self._since > _MINUTE:
            self._since, self._count = now, 0
        self._count += 1
        if self._count > MESSAGES:
            self.failure = f"the server sent more than {MESSAGES:,} messages without an answer"


class Outgoing(_Watched):
    """The messages to a server, as a stream of the SDK: `incoming` has an answer to each request."""

    def __init__(self, stream: Any, incoming: Incoming) -> None:
        super().__init__(stream)
        self._incoming = incoming

    async def send(self, item: SessionMessage) -> None:
        """Send a message."""
        if isinstance(item.message, JSONRPCRequest):
            self._incoming.requests += 1
        await self._stream.send(item)


def _excess(result: dict[str, Any]) -> str:
    """Return which list of a result has too many items; empty if none has."""
    for name, most, what in _ITEMS:
        items = result.get(name)
        if is_array(items) and len(items) > most:
            return f"the answer has more than {most:,} {what}"
    return ""


async def check_message(data: bytes) -> None:
    """Raise `TooMuch` for a message that costs too much to read, before the SDK does.

    The SDK tries each member of a message against several models, so that one with many of them would cost seconds.
    """
    check_json(data)
    if len(data) > LONG_BYTES and await asyncio.to_thread(_members, data) > MEMBERS:
        raise TooMuch(f"a message of the server has more than {MEMBERS} members")


def _members(data: bytes) -> int:
    try:
        message = from_json(data)  # as the SDK reads it
    except ValueError:  # which the SDK says of it, too
        return 0
    return len(message) if is_object(message) or is_array(message) else 0


def _data_of(event: bytes) -> bytes:
    """Return the data of an event of a stream, whose lines end in LF."""
    fields = (line.partition(b":") for line in event.split(b"\n"))
    return b"\n".join(value.removeprefix(b" ") for name, _, value in fields if name == b"data")


def bounded_client(
    url: str,
    credentials: SentCredentials,
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    """Return a client for the server at a URL, each of whose responses costs at most its bound.

    A stream of events has no end of its own, so its bound is that of each event, and of what is sent without one. What
    is not at that URL, such as the endpoints of an authorization server, has the bound of an error. Reading more raises
    `AnswerRefused`. All text is read as UTF-8, which is what MCP, JSON and streams of events have, and what is checked:
    the server names no codec. `credentials` are told those of each request.
    """
    server = httpx2.URL(url).copy_with(query=None)

    async def bound(response: httpx2.Response) -> None:
        encoding = response.headers.pop("content-encoding", "")
        response.encoding = "utf-8"
        is_stream = _is_stream(response)
        is_other = response.status_code >= 400 or response.request.url.copy_with(query=None) != server
        most = ERROR_BYTES if is_other and not is_stream else ANSWER_BYTES
        response.stream = _Bounded(response.stream, encoding, most, is_stream=is_stream)

    async def note(request: httpx2.Request) -> None:
        credentials.add_headers(request.headers.items())

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": ACCEPT_ENCODING, **(headers or {})},
        timeout=timeout if timeout is not None else httpx2.Timeout(30.0),
        auth=auth,
        event_hooks={"request": [note], "response": [bound]},
    )


def _is_stream(response: httpx2.Response) -> bool:
    """Return whether a response is read event by event: as the answer to a request that asks for events."""
    is_asked_for = response.request.method != "DELETE" and _EVENTS in response.request.headers.get("accept", "")
    return is_asked_for and response.headers.get("content-type", "").lower().startswith(_EVENTS)


class AnswerRefused(httpx2.StreamError):
    """A response costs too much, or is not coded as it says; of a stream of events the SDK expects `SSEError`."""


class _Bounded(httpx2.AsyncByteStream):
    """The decoded bytes of a response; of JSON all at once, of events one after the other."""

    def __init__(self, stream: Any, encoding: str, bound: int, *, is_stream: bool) -> None:
        self._stream, self._encoding, self._bound, self._is_stream = stream, encoding, bound, is_stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            if self._is_stream:
                async for events in self._events():
                    yield events
                return
            body = Body(self._encoding, self._bound)
            async for chunk in self._stream:
                for _ in body.take(chunk):
                    await asyncio.sleep(0)  # a few bytes may stand for many: others get their turn in between
                if not body.is_complete:
                    break
            data = body.close()
            await check_message(data)
            yield data
        except (TooMuch, Unreadable) as error:
            raise (httpx2.SSEError if self._is_stream else AnswerRefused)(str(error)) from error

    async def _events(self) -> AsyncIterator[bytes]:
        """Yield whole events, whose lines end in LF; one that is not ended is none."""
        decoder, line_ends = Decoder(self._encoding), _LineEnds()
        pending = bytearray()
        since, lines, received = monotonic(), 0, 0
        async for chunk in self._stream:
            received += len(chunk)
            for piece in map(line_ends.unified, decoder.pieces(chunk)):
                if monotonic() - since > _MINUTE:
                    since, lines = monotonic(), 0
                lines += piece.count(b"\n")
                if lines > LINES:
                    raise TooMuch(f"the server sent more than {LINES:,} lines of events in a minute")
                at, whole = max(len(pending) - 1, 0), 0
                pending += piece
                while (end := pending.find(_END_OF_EVENT, max(at, whole))) >= 0:
                    await check_message(_data_of(bytes(pending[whole:end])))
                    whole = end + len(_END_OF_EVENT)
                if len(pending) - whole > self._bound:
                    raise TooMuch(f"an event of the server has more than {self._bound:,} bytes")
                if whole:
                    received = 0
                    yield bytes(pending[:whole])
                    del pending[:whole]
                await asyncio.sleep(0)  # a reader may take all of it without a wait
            if received > self._bound:
                raise TooMuch(f"the server sent more than {self._bound:,} bytes without an event")

    async def aclose(self) -> None:
        await self._stream.aclose()


class _LineEnds:
    """Turns the line ends of a stream (CR LF, CR, LF) into LF, in pieces."""

    def __init__(self) -> None:
        self._is_after_cr = False

    def unified(self, piece: bytes) -> bytes:
        """Return a piece with LF for each line end; the LF of a CR LF that began in the last piece is left out."""
        if not piece:
            return piece
        rest = piece.removeprefix(b"\n") if self._is_after_cr else piece
        self._is_after_cr = piece.endswith(b"\r")
        return rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
