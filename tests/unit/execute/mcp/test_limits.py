"""What a server may send: what is checked of a stream of events is what the SDK reads of it."""

from __future__ import annotations

import asyncio
import gzip
import re
from typing import TYPE_CHECKING
from unittest.mock import patch

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from toolgen.execute.mcp import limits
from toolgen.runtime.redact.sent import SentCredentials

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp_types import JSONRPCMessage

URL = "https://mcp.example/mcp"
LINES = (
    "",
    "data: [1,",
    "data:2]",
    "data",
    "data:  x: y",
    "database: 1",
    " data: 1",
    ": data: 1",
    "event: message",
    "é",
)
ENDS = ("\n", "\r\n", "\r")
CHARSETS = ("", "; charset=utf-8", "; charset=utf-16-le", "; charset=punycode", '; charset="UTF-7"')


def datas_of(text: str) -> list[str]:
    """Return the data of each event of a stream, by its standard: a line is one field, an empty line ends the event."""
    found: list[str] = []
    data: list[str] = []
    *lines, _unfinished = re.split(r"\r\n|\r|\n", text)
    for line in lines:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        if not line and data:
            found.append("\n".join(data))
            data = []
    return found


class Chunks(httpx2.AsyncByteStream):
    """The body of a response, in chunks."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data, self._sizes = data, sizes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        at = 0
        for size in [*self._sizes, len(self._data)]:
            yield self._data[at : at + size]
            at += size


async def events_of(body: bytes, charset: str = "", sizes: list[int] | None = None, coding: str = "") -> list[str]:
    """Return the data of each event, as the SDK reads it through the client."""
    headers = {"Content-Type": f"text/event-stream{charset}", "Content-Encoding": coding}
    answer = httpx2.Response(200, headers=headers, stream=Chunks(body, sizes or []))
    client = limits.bounded_client(URL, SentCredentials())
    client._transport = httpx2.MockTransport(lambda _: answer)
    async with client, client.sse(URL) as events:
        return [event.data async for event in events if event.data]


@given(
    lines=st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)), max_size=12),
    sizes=st.lists(st.integers(0, 4), max_size=60),
    charset=st.sampled_from(CHARSETS),
    coding=st.sampled_from(["", "gzip"]),
)
@example(lines=[("data: [1,", "\r\n"), ("data:2]", "\r\n"), ("", "\r\n")], sizes=[], charset="", coding="")
@example(lines=[("data: [1,", "\n"), ("", "\n")], sizes=[], charset="; charset=utf-16-le", coding="")
def test_what_is_checked_of_a_stream_of_events_is_what_is_read_of_it(
    lines: list[tuple[str, str]], sizes: list[int], charset: str, coding: str
) -> None:
    text = "".join(line + end for line, end in lines)
    checked: list[str] = []

    async def check(data: bytes) -> None:
        checked.append(data.decode())

    body = text.encode()
    with patch.object(limits, "check_message", check):
        read = asyncio.run(events_of(gzip.compress(body) if coding else body, charset, sizes, coding))
    expected = [data for data in datas_of(text) if data]
    assert [data for data in checked if data] == read == expected


@pytest.mark.parametrize("end", ENDS)
def test_an_event_of_many_lines_has_one_bound_of_values(end: str) -> None:
    lines = [b"data: [0", *[b"data: " + b",0" * 100_000] * 3, b"data: ]", b"", b""]
    with pytest.raises(httpx2.SSEError, match="JSON values"):
        asyncio.run(events_of(end.encode().join(lines)))


@pytest.mark.parametrize("end", ENDS)
def test_the_lines_of_a_stream_are_counted_whatever_ends_them(end: str) -> None:
    ends = end.encode()
    assert asyncio.run(events_of((b":" + ends) * (limits.LINES - 2) + b"data: x" + ends * 2)) == ["x"]
    with pytest.raises(httpx2.SSEError, match="50,000 lines"):
        asyncio.run(events_of((b":" + ends) * (limits.LINES - 1) + b"data: x" + ends * 2))


@pytest.mark.parametrize(("method", "accept"), [("DELETE", "text/event-stream"), ("POST", "*/*")])
def test_events_that_were_not_asked_for_have_the_bound_of_a_body(method: str, accept: str) -> None:
    async def read() -> None:
        answer = httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Chunks(b":\n\n" * 100, []))
        client = limits.bounded_client(URL, SentCredentials())
        client._transport = httpx2.MockTransport(lambda _: answer)
        async with client:
            await client.request(method, URL, headers={"Accept": accept})

    with patch.object(limits, "ANSWER_BYTES", 200), pytest.raises(limits.AnswerRefused, match="200 bytes"):
        asyncio.run(read())


class Pipe:
    """A stream of the SDK: its messages, and those that were sent on it."""

    def __init__(self, messages: list[JSONRPCMessage]) -> None:
        self._left = iter(messages)
        self.sent: list[SessionMessage] = []

    async def __anext__(self) -> SessionMessage:
        found = next(self._left, None)
        if found is None:
            raise StopAsyncIteration
        return SessionMessage(found)

    async def send(self, item: SessionMessage) -> None:
        self.sent.append(item)


RECEIVED: dict[str, JSONRPCMessage] = {
    "notification": JSONRPCNotification(jsonrpc="2.0", method="notifications/x"),
    "request": JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"),
    "result": JSONRPCResponse(jsonrpc="2.0", id=999, result={}),
    "error": JSONRPCError(jsonrpc="2.0", id=999, error=ErrorData(code=1, message="x")),
}


@given(kinds=st.lists(st.sampled_from([*RECEIVED]), max_size=80), asked=st.integers(0, 3), notified=st.integers(0, 3))
def test_a_server_may_send_so_many_messages_for_each_request_and_no_more(
    kinds: list[str], asked: int, notified: int
) -> None:
    most = 5

    async def main() -> tuple[int, str, bool]:
        ended = asyncio.Event()
        incoming = limits.Incoming(Pipe([RECEIVED[kind] for kind in kinds]), ended, lambda result: result)
        outgoing = limits.Outgoing(Pipe([]), incoming)
        for kind, number in (("request", asked), ("notification", notified)):
            for _ in range(number):
                await outgoing.send(SessionMessage(RECEIVED[kind]))
        read = 0
        async for _ in incoming:
            read += 1
        return read, incoming.failure, ended.is_set()

    with patch.object(limits, "MESSAGES", most):
        read, failure, has_ended = asyncio.run(main())
    assert has_ended
    assert read <= (most + 1) * (asked + 1)
    if failure:
        assert read < len(kinds)
        assert "5 messages" in failure
    else:
        assert read == len(kinds)
