"""Results of MCP tools, as results of calls."""

from __future__ import annotations

import base64
import inspect
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.execute.mcp.failures import not_json
from toolgen.runtime.calls.result import RAW
from toolgen.schema.json_values import value_of

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from toolgen.execute.command_output import Keep
    from toolgen.execute.result_texts import ResultTexts


async def result_of(answer: CallToolResult, *, texts: ResultTexts, keep: Keep | None) -> ToolResult[Any]:
    """Return the result of a call.

    The value is the structured content; without it, the text of the only block, as `texts` reads it, or else the list
    of content blocks as JSON. Raises `CallFailed` for an answer with a number that JSON does not have: pydantic would
    write null for it.
    """
    raw = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    content: list[dict[str, Any]] = raw.get("content", [])
    blocks = tuple([await _block(block, keep) for block in content])
    metadata = {RAW: {key: value for key, value in raw.items() if key != "resultType"}}
    if answer.is_error:
        text = "\n".join(str(block.data) for block in blocks) or "the tool failed, and its server does not say why"
        error = ToolError(message=text, kind=FailureKind.DOMAIN_REJECTION, code="tool_error")
        return ToolResult(error=error, metadata=metadata)
    if not _is_finite(answer):
        raise not_json()
    value, is_shown = _value(raw, content, texts)
    payload = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return ToolResult(payload=payload, blocks=() if is_shown else blocks, metadata={} if is_shown else metadata)


def _is_finite(answer: CallToolResult) -> bool:
    try:
        json.dumps(answer.model_dump(by_alias=True), allow_nan=False, default=str)
    except ValueError:
        return False
    return True


def _value(raw: dict[str, Any], content: Sequence[dict[str, Any]], read: ResultTexts) -> tuple[Any, bool]:
    """Return the value, and whether it is all that there is to show."""
    texts = [block["text"] for block in content if block.keys() == {"type", "text"} and block["type"] == "text"]
    only = texts[0] if len(texts) == len(content) == 1 else None
    if "structuredContent" in raw:
        structured = raw["structuredContent"]
        return structured, not content or (only is not None and _read(only) == structured)
    if only is None:
        return list(content), False
    return read.value(only), True


def _read(text: str) -> Any:
    try:
        return value_of(text)
    except (ValueError, RecursionError):
        return text


async def _block(block: dict[str, Any], keep: Keep | None) -> ContentBlock:
    """Return a content block as a model is shown it: binary content by a reference, or by its size."""
    match block:
        case {"type": "text", "text": text}:
            return ContentBlock(type="text", data=text)
        case {"type": "image" | "audio" as kind, "data": data, "mimeType": media_type}:
            return await _binary(f"[{kind}: {media_type}", data, media_type, keep)
        case {"type": "resource", "resource": {"text": text, "uri": uri}}:
            return ContentBlock(type="text", data=f"[resource: {uri}]\n{text}")
        case {"type": "resource", "resource": {"blob": data, "uri": uri, **rest}}:
            media_type = str(rest.get("mimeType", "application/octet-stream"))
            return await _binary(f"[resource: {uri}", str(data), media_type, keep)
        case {"type": "resource_link", "uri": uri, "name": name}:
            return ContentBlock(type="text", data=f"[resource: {name}, {uri}]")
        case _:
            return ContentBlock(type="json", data=block)


async def _binary(label: str, data: str, media_type: str, keep: Keep | None) -> ContentBlock:
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        return ContentBlock(type="text", data=f"{label}, not base64]")
    if keep is None:
        return ContentBlock(type="text", data=f"{label}, {len(content)} bytes]")
    kept = keep(content, media_type)
    return ContentBlock(type="artifact_ref", data=await kept if inspect.isawaitable(kept) else kept)
