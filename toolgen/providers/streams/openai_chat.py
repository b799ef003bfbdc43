"""OpenAI's chat completions as a stream: chunks, whose `delta` adds to the message.

The API: https://developers.openai.com/api/reference/resources/chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.providers.apis.response_json import list_of, object_of, text_of
from toolgen.providers.protocol import MalformedResponse

if TYPE_CHECKING:
    from collections.abc import Mapping


class Reader:
    """Adds up the deltas of the first choice. Members that are text are joined, and so are the args of calls."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish: str | None = None
        self._usage: Any = None

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk. A refusal is text too."""
        if chunk.get("error") is not None:
            raise MalformedResponse("the stream reports an error")
        self._usage = chunk.get("usage") or self._usage
        said = ""
        for choice in list_of(chunk.get("choices"), "choices"):
            if object_of(choice, "choices[]").get("index", 0) == 0:
                said += self._add(object_of(choice.get("delta") or {}, "choices[0].delta"))
                self._finish = choice.get("finish_reason") or self._finish
        return said

    def response(self) -> dict[str, Any]:
        """Return the completion."""
        if self._finish is None:
            raise MalformedResponse("the stream ended before the response did")
        calls = {"tool_calls": [self._calls[place] for place in sorted(self._calls)]} if self._calls else {}
        choice = {"index": 0, "message": {**self._message, **calls}, "finish_reason": self._finish}
        return {"choices": [choice], **({"usage": self._usage} if self._usage else {})}

    def _add(self, delta: Mapping[str, Any]) -> str:
        for name, value in delta.items():
            if name == "tool_calls":
                for call in list_of(value, "delta.tool_calls"):
                    self._add_call(object_of(call, "delta.tool_calls[]"))
            elif name != "role" and value is not None:
                before = self._message.get(name)
                is_text = isinstance(value, str) and isinstance(before, str | None)
                self._message[name] = (before or "") + value if is_text else value
        return text_of(delta.get("content"), "delta.content") or text_of(delta.get("refusal"), "delta.refusal")

    def _add_call(self, part: Mapping[str, Any]) -> None:
        """Add to a call; some servers give no index, but an id where a call begins."""
        place = part.get("index")
        if not isinstance(place, int):
            place = len(self._calls) if part.get("id") or not self._calls else max(self._calls)
        call = self._calls.setdefault(place, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
        function = object_of(part.get("function") or {}, "delta.tool_calls[].function")
        call["id"] = text_of(part.get("id"), "delta.tool_calls[].id") or call["id"]
        for name in ("name", "arguments"):
            call["function"][name] += text_of(function.get(name), f"delta.tool_calls[].function.{name}")
