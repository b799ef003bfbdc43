"""Recorded calls: microseconds of the clock and of the processor for each, by store, alone and many at once.

`python -m benchmarks.measured.records URL ROUNDS REPEATS` prints lists of both, a figure a round. The floor writes the
three rows of a call, an event and then an event with a result, as two transactions of one connection of psycopg.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.measured.cases import ARGS, RESULT, TOOL, issues_executor
from benchmarks.projects import PACKAGE
from toolgen.record import ChainKey, MemoryStore, PostgresStore, SqliteStore
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest, deny_all, load

AT_ONCE: Final = (1, 64)
FLOOR: Final = "psycopg"
_KEY: Final = ChainKey(b"k" * 32)
_EVENT: Final = "INSERT INTO floor_events (run, body) VALUES (%s, %s)"
_RESULT: Final = "INSERT INTO floor_results (run, body) VALUES (%s, %s)"

Call = Callable[[], Awaitable[object]]


def recorded(store: Any) -> Call:
    """Return a call of a tool that reads, whose record is in a store; None for no record."""
    package = load(PACKAGE)
    runtime = Runtime(
        package, executors=[issues_executor()], missing=package.toolsets, permission=deny_all, store=store
    )
    meta = ToolCallMeta(user="ann", run_id="r1")

    async def call() -> object:
        result = await runtime.invoke(ToolRequest(name=TOOL, payload=ARGS), meta=meta)
        assert result.error is None, result.error
        return result.payload

    return call


async def floor(url: str, stack: AsyncExitStack) -> Call:
    connection = await stack.enter_async_context(await psycopg.AsyncConnection.connect(url, autocommit=True))
    await connection.execute("CREATE TABLE floor_events (id bigserial PRIMARY KEY, run text, body bytea)")
    await connection.execute("CREATE TABLE floor_results (id bigserial PRIMARY KEY, run text, body bytea)")
    turn = asyncio.Lock()

    async def call() -> object:
        body = json.dumps(RESULT).encode()
        async with turn:
            await connection.execute(_EVENT, ("r1", ARGS))
            async with connection.transaction(), connection.pipeline():
                await connection.execute(_EVENT, ("r1", body))
                await connection.execute(_RESULT, ("r1", body))
        return body

    return call


async def measured(call: Call, at_once: int, repeats: int) -> tuple[float, float]:
    async def some() -> None:
        for _ in range(max(1, repeats // at_once)):
            await call()

    made = max(1, repeats // at_once) * at_once
    start, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(some() for _ in range(at_once)))
    return (time.perf_counter() - start) / made * 1e6, (time.process_time() - used) / made * 1e6


async def main(url: str, rounds: int, repeats: int) -> None:
    stores = {
        "no record": None,
        "memory": MemoryStore(),
        "sqlite": SqliteStore(Path("record.db"), key=_KEY),
        "postgres": PostgresStore(url, key=_KEY),
    }
    async with AsyncExitStack() as stack:
        calls = {FLOOR: await floor(url, stack), **{name: recorded(store) for name, store in stores.items()}}
        found: dict[str, dict[str, list[float]]] = {}
        for _ in range(rounds + 1):  # the first one fills caches and opens connections
            for name, call in calls.items():
                for at_once in AT_ONCE:
                    clock, processor = await measured(call, at_once, repeats)
                    kept = found.setdefault(f"{name}, {at_once} at once", {"clock": [], "processor": []})
                    kept["clock"].append(clock)
                    kept["processor"].append(processor)
        for store in stores.values():
            if store is not None and not isinstance(store, MemoryStore):
                await store.close()
    print(json.dumps({name: {kind: each[1:] for kind, each in kinds.items()} for name, kinds in found.items()}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
