"""Gemini's `streamGenerateContent`: each chunk is a response with some of the parts.

The API: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.apis.response_json import list_of, object_of, text_of
from toolgen.providers.protocol import MalformedResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Final = frozenset({"text", "thought"})
"""Members of a part that can be joined with the next; one with a signature must come back as it was."""


class Reader:
    """Joins the parts of the first candidate: texts that follow each other become one part."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._about: dict[str, Any] = {}
        self._finish: str | None = None
        self._usage: dict[str, Any] = {}

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk. Thoughts are no text."""
        said = ""
        for name in ("promptFeedback", "prompt_feedback"):
            if chunk.get(name) is not None:
                self._about[name] = chunk[name]
        for name in ("usageMetadata", "usage_metadata"):
            if chunk.get(name) is not None:  # of the whole response so far
                self._usage[name] = chunk[name]
        candidates = list_of(chunk.get("candidates"), "candidates")
        if not candidates:
            return said
        candidate = object_of(candidates[0], "candidates[0]")
        self._finish = candidate.get("finishReason") or candidate.get("finish_reason") or self._finish
        content = object_of(candidate.get("content") or {}, "candidates[0].content")
        for each in list_of(content.get("parts"), "parts"):
            part = {name: value for name, value in object_of(each, "parts[]").items() if value is not None}
            self._append(part)
            if not part.get("thought"):
                said += text_of(part.get("text"), "parts[].text")
        return said

    def response(self) -> dict[str, Any]:
        """Return the response."""
        if self._finish is None:
            if self._about:  # the prompt was blocked
                return {**self._about, **self._usage, "candidates": []}
            raise MalformedResponse("the stream ended before the response did")
        content = {"role": "model", "parts": self._parts}
        candidate = {"content": content, "finishReason": self._finish}
        return {**self._about, **self._usage, "candidates": [candidate]}

    def _append(self, part: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else {}
        is_text = "text" in part and "text" in last and part.keys() | last.keys() <= _PLAIN
        if is_text and bool(part.get("thought")) == bool(last.get("thought")):
            last["text"] += part["text"]
        else:
            self._parts.append(part)
