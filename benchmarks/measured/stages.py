"""The time of each stage of a call with all features: the median in microseconds over many calls."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from statistics import median

from benchmarks.measured.cases import ARGS, GUARDED_TOOL, guarded_runtime
from toolgen.record import MemoryStore, calls_of
from toolgen.runtime import ToolCallMeta, ToolRequest


async def main(repeats: int) -> None:
    store = MemoryStore()
    runtime = guarded_runtime(store)
    request, meta = ToolRequest(name=GUARDED_TOOL, payload=ARGS), ToolCallMeta(user="ann", run_id="bench")
    for _ in range(repeats):
        assert (await runtime.invoke(request, meta=meta)).success
    found: dict[str, list[float]] = defaultdict(list)
    for call in calls_of(await store.read("bench")):
        for stage in call.stages:
            found[stage.stage].append(stage.us)
    print(json.dumps({stage: median(times) for stage, times in found.items()}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
