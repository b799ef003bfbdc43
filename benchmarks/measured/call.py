"""Steady calls: every case in turn, `rounds` times `repeats` calls; microseconds for each, by case and round."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time

from benchmarks.measured.cases import RESULT, Call, cases


async def main(rounds: int, repeats: int) -> None:
    calls = {name: case()() for name, case in cases().items()}
    for name, call in calls.items():
        given = await call()
        assert isinstance(given, bytes)
        assert json.loads(given) == RESULT, name
        await _microseconds(call, repeats)
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            found[name].append(await _microseconds(call, repeats))
    print(json.dumps(found))


async def _microseconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        await call()
    return (time.perf_counter() - start) / repeats * 1e6


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
