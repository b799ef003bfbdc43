"""The size of the tools in requests to a model, in bytes, and the time of an unchanged request."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NoReturn

from benchmarks.measured.peer_tools import TOOLSET, peer_tools
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.runtime import Runtime, ToolsetRegistration, deny_all, load
from toolgen.schema.compact import compact
from toolgen.spec.tool_use import LAYERS, LEXICAL, PRESENTATIONS

if TYPE_CHECKING:
    from toolgen.llm import Conversation
    from toolgen.runtime import ToolCallMeta, ToolDefinition, ToolRequest
    from toolgen.spec.tool_use import PresentationName

DISCOVERY: Final = "actions"
"""The built-in toolset of the wrappers."""


def main(folder: Path, flat: Sequence[int], actions: Sequence[int], repeats: int) -> None:
    tools = peer_tools(folder, max(*flat, *actions))
    bare = [replace(tool, input_schema={"type": "object"}) for tool in tools]  # wrappers do not contain args
    report = {
        "flat_args_bytes": {count: _args_bytes(tools[:count]) for count in flat},
        "request": {
            count: {presentation: _request(tools[:count], presentation, repeats) for presentation in PRESENTATIONS}
            for count in flat
        },
        "wrappers": {count: _request(bare[:count], "universal-category", repeats) for count in actions},
    }
    print(json.dumps(report))


def _args_bytes(tools: Sequence[ToolDefinition]) -> dict[str, int]:
    """Return the size of the schemas of all args, original and compact."""
    return {
        "given": sum(_bytes(tool.input_schema) for tool in tools),
        "compact": sum(_bytes(compact(tool.input_schema)) for tool in tools),
    }


def _conversation(tools: Sequence[ToolDefinition], presentation: PresentationName) -> Conversation:
    """Start a conversation with only these tools and the discovery tools."""
    catalog = load("toolgen.toolsets.generated")
    for tool in tools:
        catalog.register(tool, _nothing, profile="full")
    executors = [ToolsetRegistration(toolset=name, executor=_Idle()) for name in catalog.toolsets]
    runtime = Runtime(catalog, executors=executors, permission=deny_all)
    run = runtime.start_run(
        requested=[ident for ident in catalog if ident.startswith((f"{TOOLSET}.", f"{DISCOVERY}."))]
    )
    config = ToolUseConfig(presentations=dict.fromkeys(LAYERS, presentation), embedding_class=LEXICAL)
    return ToolUse(catalog, config).conversation("chat", runtime, run)


class _Idle:
    """An executor that is never called."""

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> NoReturn:
        raise AssertionError(f"{request.name} was called")


def _nothing(_args: Any) -> None:
    """Run a tool. Never called."""


def _request(tools: Sequence[ToolDefinition], presentation: PresentationName, repeats: int) -> dict[str, float]:
    """Return the bytes of `tools` for OpenAI's chat completions and of the prompt section, and the time of both.

    The time is the median in microseconds of unchanged requests.
    """
    conversation = _conversation(tools, presentation)
    offered = conversation.request().get("tools")
    sizes = {"tools_bytes": _bytes(offered) if offered else 0, "prompt_bytes": len(conversation.prompt.encode())}
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        conversation.request()
        _ = conversation.prompt
        times.append((time.perf_counter() - start) * 1e6)
    return {**sizes, "bytes": sum(sizes.values()), "unchanged_us": round(median(times), 2)}


def _bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), *json.loads(sys.argv[2]))
