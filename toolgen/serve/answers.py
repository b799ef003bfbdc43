"""Answers: results of calls, as results of `tools/call`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.contract.records import ContentBlock, ToolResult

_RAW: Final = "mcp"
"""The key in `ToolResult.metadata` under which `toolgen.execute.mcp` keeps what another server answered."""

_NOT_READ: Final = object()


def answer_of(result: ToolResult[Any], *, is_structured: bool) -> dict[str, Any]:
    """Return the `CallToolResult` of a call, as JSON. A failed call is an answer too, with the text that models get.

    `is_structured` says whether the tool was listed with an output schema: then the value itself is sent beside the
    text. What came from another MCP server goes on as it came, unless it was cut because of its size.
    """
    raw: Mapping[str, Any] = {} if result.metadata.get("truncated") else result.metadata.get(_RAW, {})
    content: list[Any] = list(raw.get("content", []))
    if raw or result.blocks or not result.payload:
        # The executor makes a block of each that was sent; what stages added stands behind them.
        content += map(_content, result.blocks[len(content) :] if raw else result.blocks)
        value = _NOT_READ
    else:
        value = json.loads(result.payload)
        content.append({"type": "text", "text": value if isinstance(value, str) else result.payload.decode()})
    if result.error is not None:
        return {"resultType": "complete", "content": content, "isError": True}
    answer: dict[str, Any] = {"resultType": "complete", "content": content, "isError": False}
    if "_meta" in raw:
        answer["_meta"] = raw["_meta"]
    if is_structured or "structuredContent" in raw:
        answer["structuredContent"] = json.loads(result.payload) if value is _NOT_READ else value
    return answer


def _content(block: ContentBlock) -> dict[str, Any]:
    return {"type": "text", "text": block.data if isinstance(block.data, str) else compact_json(block.data)}
