"""What a stub takes of a call, in microseconds, beside a no-op handler: interleaved, `rounds` times `repeats` calls."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.measured.cases import ARGS, TOOL, issues_executor
from benchmarks.projects import PACKAGE
from toolgen.runtime import Ident, Runtime, ToolRequest, allow_all, load
from toolgen.testing import recorded, stub_executors, when


async def main(rounds: int, repeats: int) -> None:
    catalog = load(PACKAGE)
    toolset = catalog.toolset_of(TOOL)
    shared: dict[str, Any] = {"missing": catalog.toolsets, "permission": allow_all, "disabled_policies": ["bench"]}
    handled = Runtime(catalog, executors=[issues_executor()], **shared)
    result = (await handled.invoke(ToolRequest(name=TOOL, payload=ARGS))).payload
    ident: Ident[Any, Any] = Ident(TOOL)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "calls.jsonl"
        line = {"tool": TOOL, "arguments": json.loads(ARGS), "result": json.loads(result)}
        file.write_text(json.dumps(line) + "\n", encoding="utf-8")
        executors = {
            "handler": [issues_executor()],
            "answer": stub_executors(catalog, when(ident).returns(json.loads(result)), toolsets=[toolset]),
            "recording": stub_executors(catalog, recording=recorded(file), toolsets=[toolset]),
            "made, equal args": stub_executors(catalog, toolsets=[toolset]),
        }
    runtimes = {name: Runtime(catalog, executors=each, **shared) for name, each in executors.items()}
    found: dict[str, list[float]] = {name: [] for name in runtimes}
    for _ in range(rounds + 1):
        for name, runtime in runtimes.items():
            found[name].append(await _microseconds(runtime, repeats))
    print(json.dumps({name: round(median(times[1:]), 1) for name, times in found.items()}))


async def _microseconds(runtime: Runtime, repeats: int) -> float:
    request = ToolRequest(name=TOOL, payload=ARGS, tool_call_id="c1")
    start = perf_counter()
    for _ in range(repeats):
        assert (await runtime.invoke(request)).error is None
    return (perf_counter() - start) / repeats * 1e6


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
