"""Load: many concurrent calls and turns in one process. None is lost, each is recorded once, and memory is released."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import add, runtime_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.record.calls import calls_of
from toolgen.record.chain import ChainKey, verify_chain
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime import Catalog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from toolgen.runtime.events.records import RunRecord

pytestmark = pytest.mark.slow

CALLS = 10_000
TURNS = 1_000
META = ToolCallMeta(user="ann", run_id="r1")
KEY = ChainKey(b"a key that is only known to tests")

MEASURED = 2_500
"""Calls of which the memory is measured, which makes each of them several times as slow."""

KEPT = 32 * 1024
"""Bytes that may stay allocated, such as caches. One small object for each call would be several times as much."""


class Load:
    """Tools that do nothing but count how often each call ran; half of them yield to the loop."""

    def __init__(self) -> None:
        self.ran: Counter[int] = Counter()
        self.catalog = Catalog()
        for name, permission in (("load.read", "readonly"), ("load.write", "write")):
            add(self.catalog, self._handler, name, permission=permission)

    async def _handler(self, args: Any) -> int:
        number: int = args["n"]
        self.ran[number] += 1
        if number % 2:
            await asyncio.sleep(0)
        return number

    async def calls(self, store: Any, count: int) -> None:
        """Make concurrent calls; none is lost, and each returns its own result."""
        runtime = runtime_of(self.catalog, store=store)
        results = await asyncio.gather(*(runtime.invoke(_request(n), meta=META) for n in range(count)))
        assert [result.value for result in results] == list(range(count))
        ids = [result.tool_call_id for result in results]
        assert [n for n in range(0, count, 3) if ids[n] != f"c{n}"] == [], "given ids are kept"
        assert len(set(ids)) == count
        assert self.ran == dict.fromkeys(range(count), 1)
        assert len(asyncio.all_tasks()) == 1


def _request(number: int) -> ToolRequest:
    """Return a request; two of three have no id."""
    name = "load.write" if number % 5 == 0 else "load.read"
    return ToolRequest(name=name, payload=json.dumps({"n": number}), tool_call_id="" if number % 3 else f"c{number}")


def check_record(record: RunRecord, count: int) -> None:
    """Check that each call is recorded once: its start, its end, and its own result."""
    assert Counter(event.kind for event in record.events) == {"tool_started": count, "tool_completed": count}
    assert [event.sequence for event in record.events] == list(range(2 * count))
    calls = calls_of(record)
    assert len({call.tool_call_id for call in calls}) == len(calls) == count
    contents = [(call.events[0].data["args"]["n"], call.result and call.result.content) for call in calls]
    assert all(content == {"value": number} for number, content in contents)
    assert sorted(number for number, _ in contents) == list(range(count))


@pytest.mark.long
def test_10_000_concurrent_calls_are_each_recorded_once() -> None:
    async def check() -> None:
        store = MemoryStore()
        await Load().calls(store, CALLS)
        check_record(await store.read("r1"), CALLS)

    asyncio.run(check())


@pytest.mark.long
def test_10_000_concurrent_calls_are_each_stored_once_in_a_file_and_its_chain(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "store.db", key=KEY)
        await Load().calls(store, CALLS)
        check_record(await store.read("r1"), CALLS)
        await store.close()

    asyncio.run(check())
    reader = SqliteReader(tmp_path / "store.db")
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


@pytest.mark.long
def test_1_000_concurrent_turns_keep_their_order_and_lose_nothing() -> None:
    order: dict[int, list[int]] = {}

    async def handler(args: Any) -> int:
        order.setdefault(args["turn"], []).append(args["n"])
        await asyncio.sleep(0)
        if args["n"] == 4 and args["turn"] % 10 == 0:
            raise ValueError("broken")
        return int(args["n"])

    catalog = Catalog()
    add(catalog, handler, "load.read", permission="readonly")
    add(catalog, handler, "load.write")

    async def check() -> None:
        store = MemoryStore()
        runtime = runtime_of(catalog, store=store)
        first = run_of(catalog)[1]
        runs = [run_of(catalog, session=first.session)[1] for _ in range(TURNS)]
        for number, run in enumerate(runs):
            vars(run.meta)["run_id"] = f"r{number}"
        turns = [
            [
                ToolRequest(name=f"load.{kind}", payload=json.dumps({"n": n, "turn": turn}))
                for n, kind in enumerate(("read", "read", "write", "read", "write", "read"))
            ]
            for turn in range(TURNS)
        ]
        ended = await asyncio.gather(*(runtime.turn(turn, run) for turn, run in zip(turns, runs, strict=True)))
        ids = [result.tool_call_id for results in ended for result in results]
        assert len(set(ids)) == len(ids) == 6 * TURNS
        for turn, results in enumerate(ended):
            failed = turn % 10 == 0
            codes = ["ok" if result.error is None else result.error.code for result in results]
            assert codes == ["ok"] * 4 + (["handler_error", "skipped"] if failed else ["ok", "ok"])
            assert order[turn] == list(range(5 if failed else 6))
        for summary in await store.runs():
            failed = int(summary.run_id.removeprefix("r")) % 10 == 0
            assert (summary.completed, summary.failed, summary.events) == ((4, 2, 11) if failed else (6, 0, 12))

    asyncio.run(check())


@pytest.mark.long
def test_memory_is_released() -> None:
    async def with_memory_store(count: int) -> None:
        store = MemoryStore()
        await Load().calls(store, count)
        await store.close()

    kept, peak = memory_of(with_memory_store)
    assert peak > 50 * KEPT, "all of them were active at once"
    assert kept < KEPT


@pytest.mark.long
def test_memory_is_released_after_a_store_in_a_file(tmp_path: Path) -> None:
    async def with_sqlite_store(count: int) -> None:
        store = SqliteStore(tmp_path / "store.db")
        await Load().calls(store, count)
        await store.close()

    kept, peak = memory_of(with_sqlite_store)
    assert peak > 50 * KEPT
    assert kept < KEPT


def memory_of(work: Callable[[int], Awaitable[None]]) -> tuple[int, int]:
    """Return the bytes that Python still holds after some work, and the peak, relative to before."""

    async def whole(count: int) -> None:
        await work(count)

    asyncio.run(whole(MEASURED))  # asyncio's task table keeps its size, and some modules are imported only now
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        asyncio.run(whole(MEASURED))
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before, peak - before
