"""Load the catalog of the package here: time and memory; then the first call of one tool.

The floor is measured last, because it leaves memory behind: the same file, read and parsed by `json`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.measured.cases import ARGS, TOOL, issues_executor
from benchmarks.projects import PACKAGE
from toolgen.runtime import Runtime, ToolRequest, allow_all, load


async def main() -> None:
    gc.collect()
    memory, start = _resident_mb(), time.perf_counter()
    catalog = load(PACKAGE)
    loaded = time.perf_counter()
    memory_after = _resident_mb()
    runtime = Runtime(
        catalog,
        executors=[issues_executor()],
        missing=catalog.toolsets,
        permission=allow_all,
        disabled_policies=["bench"],
    )
    ready = time.perf_counter()
    result = await runtime.invoke(ToolRequest(name=TOOL, payload=ARGS))
    called = time.perf_counter()
    assert result.success, result.error
    report = {
        "load_ms": (loaded - start) * 1000,
        "floor_ms": _floor_ms(),
        "memory_mb": memory_after - memory,
        "runtime_ms": (ready - loaded) * 1000,
        "first_call_ms": (called - ready) * 1000,
    }
    print(json.dumps(report))


def _floor_ms() -> float:
    start = time.perf_counter()
    json.loads(Path(PACKAGE, "catalog.json").read_bytes())
    return (time.perf_counter() - start) * 1000


def _resident_mb() -> float:
    """Return the memory in use; if unavailable, its peak."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1024**2


if __name__ == "__main__":
    asyncio.run(main())
