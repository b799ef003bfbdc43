"""Size: of a result too large to be shown, a model gets the beginning, and the whole is kept as an artifact."""

from __future__ import annotations

import codecs
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock
from toolgen.runtime.call_secrets import hide_result, with_result_values
from toolgen.runtime.warning import warn

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.artifacts import Artifacts
    from toolgen.runtime.call import Call, Host, Size, Tool
    from toolgen.runtime.definition import Secrets

_JSON: Final = "application/json"
_TEXT: Final = "text/plain; charset=utf-8"


def bind(tool: Tool, host: Host) -> Size | None:
    """Make the stage; None where nothing bounds results. What an executor has cut itself is left as it is."""
    own = tool.definition.metadata.get("limits", {}).get("result_bytes")
    limit: int = host.policies.result_bytes if own is None else own
    if not limit:
        return None

    def check(call: Call, result: ToolResult[Any]) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        is_small = len(result.payload) <= limit and not result.blocks
        return result if is_small or result.metadata.get("truncated") else shortened(call, result)

    async def shortened(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        secrets = tool.secrets
        if call.has_secrets or result.error is not None:
            secrets = with_result_values(call.secrets, json.loads(result.payload or "null"))
        shown: list[ContentBlock] = []
        for block in result.content:
            shown += await _shortened(block, limit, secrets, host.artifacts)
        if tuple(shown) == result.content:
            return result
        return replace(result, blocks=tuple(shown), metadata={**result.metadata, "truncated": True})

    return check


async def _shortened(
    block: ContentBlock, limit: int, secrets: Secrets, artifacts: Artifacts | None
) -> list[ContentBlock]:
    """Cut a block that exceeds `limit` bytes; what of it is stored, is stored without secrets."""
    is_text = isinstance(block.data, str)
    if len(_bytes_of(block.data)) <= limit:
        return [block]
    data = _bytes_of(hide_result(block.data, secrets))
    beginning = codecs.getincrementaldecoder("utf-8")("ignore").decode(data[:limit])
    summary = ContentBlock(type="text", data=f"{beginning}\n[cut: these are the first {limit} of {len(data)} bytes]")
    kept = await _kept(data, _TEXT if is_text else _JSON, artifacts)
    return [summary, *kept]


async def _kept(data: bytes, media_type: str, artifacts: Artifacts | None) -> list[ContentBlock]:
    """Keep the whole. Where that fails the call has still been made, and its result is what can be shown of it."""
    if artifacts is None:
        return []
    import asyncio  # slow to import, and few results are this large

    from toolgen.runtime.artifacts import ArtifactError

    try:
        ref = await asyncio.to_thread(artifacts.put, data, media_type)
    except ArtifactError as error:
        warn("a large result is not kept as an artifact", error=error)
        return []
    return [ContentBlock(type="artifact_ref", data=ref)]


def _bytes_of(data: Any) -> bytes:
    text: str = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
