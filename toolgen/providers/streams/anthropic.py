"""Anthropic's messages as a stream: blocks of content that begin, grow and stop.

The API: https://platform.claude.com/docs/en/build-with-claude/streaming.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.apis.response_json import list_of, object_of, text_of
from toolgen.providers.protocol import MalformedResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROWS: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""By the type of a delta, the member of the delta that is added to the one of the block."""


class Reader:
    """Adds the deltas to the blocks. Events that the SDK adds to those of the API are left out."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self._has_stopped = False

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event."""
        kind = event.get("type")
        if kind == "error":
            raise MalformedResponse("the stream reports an error")
        if kind == "message_start":
            self._message = dict(object_of(event.get("message"), "message"))
        elif kind == "content_block_start":
            self._blocks[_index(event)] = dict(object_of(event.get("content_block"), "content_block"))
        elif kind == "content_block_delta":
            return self._grow(_index(event), object_of(event.get("delta"), "delta"))
        elif kind == "message_delta":
            self._message.update(object_of(event.get("delta"), "delta"))
            if event.get("usage") is not None:  # of the whole message so far
                self._message["usage"] = {**self._message.get("usage", {}), **object_of(event["usage"], "usage")}
        elif kind == "message_stop":
            self._has_stopped = True
        return ""

    def response(self) -> dict[str, Any]:
        """Return the message."""
        if not self._has_stopped:
            raise MalformedResponse("the stream ended before the response did")
        for place, text in self._inputs.items():
            try:
                self._blocks[place]["input"] = json.loads(text) if text else {}
            except ValueError:
                raise MalformedResponse(f"content[{place}].input of the response is not JSON") from None
        return {**self._message, "content": [self._blocks[place] for place in sorted(self._blocks)]}

    def _grow(self, place: int, delta: Mapping[str, Any]) -> str:
        kind, block = delta.get("type"), self._blocks.get(place)
        if block is None:
            raise MalformedResponse(f"content[{place}] of the response was not begun")
        if kind == "input_json_delta":
            self._inputs[place] = self._inputs.get(place, "") + text_of(delta.get("partial_json"), "delta.partial_json")
        elif kind == "citations_delta":
            block["citations"] = [*list_of(block.get("citations"), "citations"), delta.get("citation")]
        elif kind in _GROWS:
            member = _GROWS[kind]
            added = text_of(delta.get(member), f"delta.{member}")
            block[member] = text_of(block.get(member), f"content[{place}].{member}") + added
            return added if kind == "text_delta" else ""
        return ""


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    if not isinstance(index, int):
        raise MalformedResponse("an event of the stream has no index")
    return index
