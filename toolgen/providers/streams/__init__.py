"""Streams: the events of a streamed response, put together to the response that it would have been at once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from toolgen.providers.protocol import Problem, UnsupportedCapability

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODULES: Final[Mapping[str, str]] = {
    "openai": "openai_chat",
    "openai-strict": "openai_chat",
    "litellm": "openai_chat",
    "openai-responses": "openai_responses",
    "openai-responses-strict": "openai_responses",
    "anthropic": "anthropic",
    "anthropic-strict": "anthropic",
    "gemini": "gemini",
}


class StreamReader(Protocol):
    """Reads the events of one streamed response, in their order."""

    def add(self, event: Mapping[str, Any], /) -> str:
        """Take an event, as plain JSON; return the text for people in it. Raises `MalformedResponse`."""
        ...

    def response(self) -> dict[str, Any]:
        """Return the whole response, as `Provider.read` takes it.

        Raises `MalformedResponse` if the stream ended before the response did.
        """
        ...


def stream_reader(provider: str) -> StreamReader:
    """Return a reader for one response of a provider.

    Raises `UnsupportedCapability` for a provider whose streams cannot be read: `bedrock` and `mcp`.
    """
    if provider not in _MODULES:
        raise UnsupportedCapability(provider, [Problem("the response", "it cannot be read as a stream")])
    module = import_module(f"toolgen.providers.streams.{_MODULES[provider]}")
    return cast("StreamReader", module.Reader())
