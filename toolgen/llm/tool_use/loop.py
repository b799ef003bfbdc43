"""The loop of a conversation: ask the model, make its calls, tell it the results, until it has nothing more to ask."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard

from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.llm.presentations.protocol import RequestedCall, Turn
    from toolgen.providers.protocol import Provider

AskModel: TypeAlias = Callable[[list[dict[str, Any]], Mapping[str, Any]], Any]
"""The host's own call of an SDK, given the messages and the members of the request that list the tools.

It returns the response, an object of the SDK or plain JSON, or an async iterator of the events of its stream. It is
sync, then it runs in a thread, or async, or an async generator.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Some text of the model, as it comes. Without a stream it is the text of the whole response."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A call that the model asked for, complete, before it is made."""

    call: RequestedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """One response was taken, and its calls were made. `turn.messages` are to be kept, for a restart."""

    number: int
    turn: Turn


ConversationEvent: TypeAlias = TextDelta | CallRequested | TurnEnded
OnEvent: TypeAlias = Callable[[ConversationEvent], Awaitable[None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationResult:
    """How a conversation went. `messages` are all of it, those that were given first.

    `text` is that of the last response. `stopped` is why it ended: the model had nothing more to ask (`completed`), the
    bound was reached (`max_turns`), or the run was aborted. After `max_turns`, `run(ask, outcome.messages)` goes on.
    """

    text: str
    messages: list[dict[str, Any]]
    turns: int
    stopped: Literal["completed", "max_turns", "aborted"]


async def response_of(ask: AskModel, messages: list[dict[str, Any]], request: Mapping[str, Any]) -> Any:
    """Call `ask`; return the response as plain JSON, or an async iterator of events."""
    if inspect.iscoroutinefunction(ask) or inspect.isasyncgenfunction(ask):
        response = ask(messages, request)
    else:
        response = await asyncio.to_thread(ask, messages, request)
    if inspect.isawaitable(response):
        response = await response
    return response if is_stream(response) else plain_json(response)


def is_stream(response: Any) -> TypeGuard[AsyncIterable[Any]]:
    """Whether a response comes as the events of a stream."""
    return isinstance(response, AsyncIterable)


async def read_stream(provider: Provider, events: AsyncIterator[Any], on_text: Callable[[str], Awaitable[None]]) -> Any:
    """Read a streamed response to its end; return it as plain JSON. The stream is closed whatever happens.

    Raises `UnsupportedCapability` for a provider whose streams cannot be read, and `MalformedResponse`.
    """
    reader = provider.stream_reader()
    try:
        async for event in events:
            text = reader.add(plain_json(event))
            if text:
                await on_text(text)
    finally:
        close = getattr(events, "aclose", None) or getattr(events, "close", None)
        if close is not None:
            await close()
    return reader.response()


def plain_json(value: Any) -> dict[str, Any]:
    """Return a response or an event of an SDK as plain JSON, without members that are null. Raises TypeError."""
    if is_object(value):
        return value
    dump: Any = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(
            f"`ask` gave a {type(value).__qualname__}: return the response of the SDK, its JSON as a dict, or an async "
            "iterator of the events of its stream"
        )
    dumped: dict[str, Any] = dump(mode="json", exclude_none=True, warnings=False)
    return dumped
