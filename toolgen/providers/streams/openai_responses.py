"""OpenAI's responses as a stream: events, the last of which has the whole response.

The API: https://developers.openai.com/api/reference/resources/responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.apis.response_json import object_of, text_of
from toolgen.providers.protocol import MalformedResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT: Final = ("response.output_text.delta", "response.refusal.delta")
_LAST: Final = ("response.completed", "response.incomplete", "response.failed")


class Reader:
    """Takes the response of the last event. Some servers leave its output out: then it is that of the items."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._response: Mapping[str, Any] | None = None

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event."""
        kind = event.get("type")
        if kind == "error":
            raise MalformedResponse("the stream reports an error")
        if kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind in _LAST:
            self._response = object_of(event.get("response"), "response")
        return text_of(event.get("delta"), "delta") if kind in _TEXT else ""

    def response(self) -> dict[str, Any]:
        """Return the response."""
        if self._response is None:
            raise MalformedResponse("the stream ended before the response did")
        return {**self._response, "output": self._response.get("output") or self._items}
