"""Size: of a result that is too large, the model is shown the beginning, and all of it is stored as an artifact."""

from __future__ import annotations

import codecs
import json
from collections.abc import Awaitable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock
from toolgen.runtime.calls.result import RAW
from toolgen.runtime.redact.call_secrets import hide_result, with_result_values
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool
    from toolgen.runtime.events.records import ArtifactStore
    from toolgen.runtime.redact.secrets import Secrets


_JSON: Final = "application/json"
_TEXT: Final = "text/plain; charset=utf-8"

_NOTES: Final = 256
"""Bytes beyond the limit for notes of executors and stages: that the result was cut, and where the rest is."""

_FORM: Final = 16
"""Minimum bytes counted per block, so that the number of empty blocks is limited too."""


def limit_of(tool: Tool, host: Host) -> int:
    """Return how many bytes of a result are shown, by the spec or the active policies; 0 means no limit."""
    own = tool.definition.settings.limits.result_bytes
    limit: int = host.policies.result_bytes if own is None else own
    return limit


def bind(tool: Tool, host: Host) -> After | None:
    """Return the stage; None if results have no limit.

    It decides once, for all that a result is sent to: by `ToolResult.is_cut`, and by what is left of an answer of MCP.
    It decides only by what there is to show, not by what a handler says: `truncated` in the metadata is set here.
    """
    limit = limit_of(tool, host)
    if not limit:
        return None

    def check(call: Call, result: ToolResult[Any]) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        if RAW in result.metadata:
            result = _without_large_answer(result, limit + _NOTES)
        if not result.blocks:
            return result if len(result.payload) <= limit else shortened(result, call.secrets)
        if sum(map(_size, result.blocks)) <= limit + _NOTES:
            return _marked(result, is_cut=len(result.payload) > limit)
        return shortened(result, call.secrets)

    async def shortened(result: ToolResult[Any], of_call: Secrets) -> ToolResult[Any]:
        import asyncio  # slow to import, and few results are this large

        shown = list[ContentBlock]()
        for part in await asyncio.to_thread(_parts, result, of_call, limit):  # long values would hold up the event loop
            shown += [part] if isinstance(part, ContentBlock) else await _kept(*part, host.artifacts)
        if tuple(shown) == result.content:
            return result
        return _marked(replace(result, blocks=tuple(shown)), is_cut=True)

    return check


def _marked(result: ToolResult[Any], *, is_cut: bool) -> ToolResult[Any]:
    if bool(result.metadata.get("truncated")) is is_cut:
        return result
    rest = {name: value for name, value in result.metadata.items() if name != "truncated"}
    return replace(result, metadata={**rest, "truncated": True} if is_cut else rest)


def _without_large_answer(result: ToolResult[Any], limit: int) -> ToolResult[Any]:
    """Return a result without what another server of MCP answered, if its content or its metadata exceed the limit."""
    answer = result.metadata[RAW]
    if is_object(answer) and all(len(_bytes_of(answer.get(name))) <= limit for name in ("content", "_meta")):
        return result
    return replace(result, metadata={name: value for name, value in result.metadata.items() if name != RAW})


def _size(block: ContentBlock) -> int:
    """Return the bytes of a block that count towards the limit: its data and its form."""
    return len(_bytes_of(block.data)) + len(block.type) + _FORM


def _parts(result: ToolResult[Any], of_call: Secrets, limit: int) -> list[ContentBlock | tuple[bytes, str]]:
    """Return the blocks that are shown of a result, in `limit` bytes, and the data and media types of its artifacts.

    Artifacts have no secrets.
    """
    secrets = with_result_values(of_call, json.loads(result.payload or "null"))
    parts: list[ContentBlock | tuple[bytes, str]] = []
    left, blocks = limit, list(result.content)
    while blocks and left > 0:
        block = blocks.pop(0)
        parts += _shortened(block, left, secrets)
        left -= _size(block)
    if blocks:
        rest = [{"type": block.type, "data": hide_result(block.data, secrets)} for block in blocks]
        parts += [ContentBlock(type="text", data=f"[cut: {len(blocks)} more blocks]"), (_bytes_of(rest), _JSON)]
    return parts


def _shortened(block: ContentBlock, limit: int, secrets: Secrets) -> list[ContentBlock | tuple[bytes, str]]:
    """Truncate a block that exceeds `limit` bytes; all of it is an artifact."""
    if len(_bytes_of(block.data)) <= limit:
        return [block]
    data = _bytes_of(hide_result(block.data, secrets))
    beginning = codecs.getincrementaldecoder("utf-8")("ignore").decode(data[:limit])
    summary = ContentBlock(type="text", data=f"{beginning}\n[cut: these are the first {limit} of {len(data)} bytes]")
    return [summary, (data, _TEXT if isinstance(block.data, str) else _JSON)]


async def _kept(data: bytes, media_type: str, artifacts: ArtifactStore | None) -> list[ContentBlock]:
    """Store all data as an artifact. If that fails, the call still succeeds, with the truncated result."""
    if artifacts is None:
        return []
    import asyncio  # slow to import, and few results are this large

    from toolgen.runtime.base.errors import ArtifactError

    try:
        ref = await asyncio.to_thread(artifacts.put, data, media_type)
    except ArtifactError as error:
        warn("a large result could not be stored as an artifact", error=error)
        return []
    return [ContentBlock(type="artifact_ref", data=ref)]


def _bytes_of(data: Any) -> bytes:
    text: str = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
