"""The common behaviour of all stores."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.unit.record.sample import TOOL, denied, done, ended, one_call, progress, result, started, write
from toolgen.contract.records import ContentBlock, FailureKind, Issue, ToolError, ToolResult
from toolgen.record import memory
from toolgen.record.memory import MemoryStore
from toolgen.record.postgres import PostgresStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import CallOutcome, NewEvent, RunFilter, RunNotFound, RunsPage, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.runtime.events.records import Event, Store, StoredResult

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
Check: TypeAlias = "Callable[[Store], Awaitable[None]]"
Use: TypeAlias = Callable[[Check], None]


class Clock:
    """A clock that advances by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def use(request: pytest.FixtureRequest, tmp_path: Path) -> Use:
    """Run a coroutine function with a new store and close it."""

    clock = Clock()
    opened: dict[str, Callable[[], Store]] = {
        "memory": lambda: MemoryStore(clock=clock, poll=0.001),
        "sqlite": lambda: SqliteStore(tmp_path / "store.db", clock=clock, poll=0.001),
        "postgres": lambda: PostgresStore(request.getfixturevalue("postgres_url"), clock=clock),
    }

    async def run(check: Check) -> None:
        store = opened[request.param]()
        await check(store)
        await store.close()

    return lambda check: asyncio.run(run(check))


def test_events_and_results_are_read_in_order(use: Use) -> None:
    async def check(store: Store) -> None:
        await write(store, started(), progress(done=1), progress(done=2))
        await done(store.finish(ended(), result()))
        record = await store.read("r1")

        assert [(event.sequence, event.kind) for event in record.events] == [
            (0, "tool_started"),
            (1, "tool_progress"),
            (2, "tool_progress"),
            (3, "tool_completed"),
        ]
        assert record.events[0].data == {"args": {"order": 7}}
        assert [event.at for event in record.events] == [NOON + timedelta(seconds=n) for n in (1, 2, 3, 4)]
        assert {(event.run_id, event.tool, event.tool_call_id) for event in record.events} == {("r1", TOOL, "c1")}
        (stored,) = record.results
        assert (stored.sequence, stored.tool, stored.tool_call_id, stored.success) == (3, TOOL, "c1", True)
        assert stored.content == {"value": {"refunded": True}}

    use(check)


def test_reg_67_events_are_read_in_the_order_of_writing(use: Use) -> None:
    async def check(store: Store) -> None:
        async def call(name: str) -> None:
            store.append(started(name))
            await asyncio.sleep(0)
            await done(store.finish(ended(call=name), result(name)))

        await asyncio.gather(*(call(f"c{n}") for n in range(50)))
        events = (await store.read("r1")).events
        places = {(event.tool_call_id, event.kind): event.sequence for event in events}
        assert sorted(places.values()) == list(range(100))
        assert all(places[f"c{n}", "tool_started"] < places[f"c{n}", "tool_completed"] for n in range(50))

    use(check)


@pytest.mark.parametrize("user", ["ana", 'a"n\\a', "größe {.*}", "$"])
def test_the_runs_of_a_user_are_those_whose_first_event_names_them(use: Use, user: str) -> None:
    async def check(store: Store) -> None:
        pretended = {"user": user}
        sent = {"x": {"data": pretended, **pretended}, "kind": "tool_started", "tool": "t", "tool_call_id": "c"}
        text = f'{json.dumps(pretended)[1:-1]}}},"kind":"tool_started","tool":"t","tool_call_id":"c"}}'
        for number, who in enumerate((user, "bob", f"{user}2", None, user)):
            data = {} if who is None else {"user": who, "agent": "clerk"}
            calls = [f'c"\\{number} ß', text]
            for call in calls[number % 2 :] + calls[: number % 2]:
                await write(store, NewEvent("tool_started", f"r{number}", TOOL, call, data, json.dumps(sent)))
        await write(store, NewEvent("tool_started", "r5", TOOL, text, {"user": "bob"}, json.dumps(sent)))
        await write(store, NewEvent("tool_started", "r5", TOOL, "c", {"user": user}))
        await done(store.finish(NewEvent("tool_denied", "r6", TOOL, "c", {"user": user}), result("c")))
        page = await store.latest_runs(10, which=RunFilter(user=user))
        assert (page.found, [each.run_id for each in page.runs]) == (3, ["r6", "r4", "r0"])

    use(check)


def test_runs_are_listed_in_pages_the_latest_first_with_filters(use: Use) -> None:
    async def check(store: Store) -> None:
        assert await store.latest_runs(10) == RunsPage(found=0, runs=())
        for number in range(7):
            await write(store, started(f"c{number}", f"r{number}"))
        for number in (4, 1, 6):
            kind = {1: "tool_failed", 6: "tool_denied"}.get(number, "tool_completed")
            call = f"c{number}"
            await done(store.finish(ended(kind, call, f"r{number}"), result(call)))
        every = (await store.runs())[::-1]
        assert [each.run_id for each in every] == ["r6", "r1", "r4", "r5", "r3", "r2", "r0"]
        assert [(each.events, each.completed, each.failed, each.denied) for each in every[:4]] == [
            (2, 0, 0, 1),
            (2, 0, 1, 0),
            (2, 1, 0, 0),
            (1, 0, 0, 0),
        ]
        for skip in range(9):
            for most in (1, 3, 10):
                assert await store.latest_runs(most, skip=skip) == RunsPage(found=7, runs=every[skip : skip + most])

        async def ids(most: int = 10, skip: int = 0, **fields: Any) -> tuple[int, list[str]]:
            page = await store.latest_runs(most, skip=skip, which=RunFilter(**fields))
            return page.found, [each.run_id for each in page.runs]

        for outcome, run in zip(CallOutcome, ("r4", "r1", "r6"), strict=True):
            assert await ids(outcome=outcome) == (1, [run])
        began, last = every[3].began, every[1].last  # of r5, which has one event, and of r1
        assert await ids(since=last) == (2, ["r6", "r1"])
        assert await ids(since=last + timedelta(microseconds=1)) == (1, ["r6"])
        assert await ids(until=began) == (5, ["r1", "r4", "r3", "r2", "r0"])
        assert await ids(until=began + timedelta(microseconds=1)) == (6, ["r1", "r4", "r5", "r3", "r2", "r0"])
        assert await ids(1, 1, since=began, until=began) == (2, ["r4"])
        assert await ids(part="3") == (1, ["r3"])
        assert await ids(part="%") == (0, [])
        assert await ids(part="r4", outcome=CallOutcome.FAILED) == (0, [])
        assert await ids(user="ana") == (0, [])
        await write(store, started("c9", "r3"))
        assert (await ids(1)) == (7, ["r3"])

    use(check)


def end(run_id: str, reason: str = "completed") -> NewEvent:
    return NewEvent("run_ended", run_id, data={"end_reason": reason})


def test_the_end_of_a_run_is_on_record_once_also_if_two_writers_record_it_at_the_same_time(
    use: Use, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """They are two processes that execute a run: one was taken for dead. Here they are two threads."""
    kind = request.node.callspec.params["use"]

    async def check(store: Store) -> None:
        other: Store = store
        if kind == "sqlite":
            other = SqliteStore(tmp_path / "store.db")
        elif kind == "postgres":
            other = PostgresStore(request.getfixturevalue("postgres_url"))
        runs = [f"r{number}" for number in range(30)]
        for run_id in runs:
            await write(store, started(run=run_id))
        begin = Barrier(2)

        def race(writer: Store) -> None:
            async def race_() -> None:
                await asyncio.gather(*[done(writer.append(end(run_id))) for run_id in runs])

            begin.wait()
            asyncio.run(race_())

        await asyncio.gather(asyncio.to_thread(race, store), asyncio.to_thread(race, other))
        for run_id in runs:
            assert [event.kind for event in (await store.read(run_id)).events] == ["tool_started", "run_ended"]
        assert {summary.events for summary in await store.runs()} == {2}
        if other is not store:
            await other.close()

    use(check)


def test_a_run_that_goes_on_after_its_end_has_another_one(use: Use) -> None:
    async def check(store: Store) -> None:
        reasons = ["failed", "failed", "completed", "completed", "aborted_tools", "completed"]
        await write(store, *(end("r1", reason) for reason in reasons))
        for number in range(150):
            await write(store, progress(done=number))
        await write(store, end("r1"), started(), end("r1"), end("r1"))
        events = (await store.read("r1")).events
        kept = [event.data.get("end_reason") for event in events if event.kind != "tool_progress"]
        assert kept == ["failed", "completed", "aborted_tools", None, "completed"]
        assert [event.sequence for event in events] == [*range(155)]

    use(check)


def test_a_failure_is_stored_as_text(use: Use) -> None:
    async def check(store: Store) -> None:
        issue = Issue(pointer="/order", keyword="type", expected="integer", found="'x'", hint="send an integer")
        await done(store.finish(ended("tool_denied"), denied(issues=(issue,))))
        (stored,) = (await store.read("r1")).results
        assert not stored.success
        assert stored.content["error"] == {
            "kind": "permission_denied",
            "code": "permission_denied",
            "message": "not allowed to run",
            "hint": "ask",
            "issues": [
                {
                    "pointer": "/order",
                    "keyword": "type",
                    "expected": "integer",
                    "found": "'x'",
                    "hint": "send an integer",
                }
            ],
        }

    use(check)


def test_blocks_metadata_and_retry_after_are_stored(use: Use) -> None:
    async def check(store: Store) -> None:
        limited = ToolResult[Any](
            tool_name=TOOL,
            tool_call_id="c1",
            error=ToolError(message="too often", kind=FailureKind.RATE_LIMITED, code="cooldown", retry_after=1.5),
            blocks=(ContentBlock(type="text", data="too often"),),
            metadata={"raw_tool_name": "refund"},
        )
        await done(store.finish(ended("tool_failed"), limited))
        (stored,) = (await store.read("r1")).results
        assert stored.content["error"]["retry_after"] == 1.5
        assert stored.content["blocks"] == [{"type": "text", "data": "too often"}]
        assert stored.content["metadata"] == {"raw_tool_name": "refund"}

    use(check)


def test_reg_66_secrets_are_in_no_event_and_no_result(use: Use) -> None:
    async def check(store: Store) -> None:
        secrets = (("/card/*",), ("/receipt",))
        args = {"card": {"number": "s3cr3t-1"}, "password": "s3cr3t-2", "note": "Bearer s3cr3t-3-s3cr3t-3"}
        await write(
            store,
            started(args=args, secrets=secrets),
            progress(line="curl https://me:s3cr3t-4@shop"),
        )
        value = {"receipt": "s3cr3t-5", "api_key": "s3cr3t-6", "ok": True}
        await done(store.finish(ended(secrets=secrets), result(value=value)))
        wrong = Issue(
            pointer="/card/number", keyword="type", expected="integer", found="'s3cr3t-7'", hint="not 's3cr3t-7'"
        )
        failure = denied("c2", message="token=s3cr3t-8", issues=(wrong,))
        await done(store.finish(ended("tool_failed", "c2", secrets=secrets, message="secret: s3cr3t-9"), failure))

        record = await store.read("r1")
        assert "s3cr3t" not in repr(record)
        assert record.events[0].data["args"] == {
            "card": {"number": "[redacted]"},
            "password": "[redacted]",
            "note": "Bearer [redacted]",
        }
        assert record.results[0].content["value"] == {"receipt": "[redacted]", "api_key": "[redacted]", "ok": True}
        assert record.results[1].content["error"]["message"] == "token=[redacted]"

    use(check)


def test_runs_are_listed_with_how_their_calls_ended(use: Use) -> None:
    async def check(store: Store) -> None:
        assert await store.runs() == ()
        await one_call(store, "c1", "late")
        await one_call(store, "c1", "early")
        await done(store.finish(ended("tool_failed", "c2", "late"), denied("c2")))
        await done(store.finish(ended("permission_failed", "c3", "late"), denied("c3")))
        first, second = await store.runs()
        assert (first.run_id, first.events, first.completed, first.failed, first.denied) == ("early", 2, 1, 0, 0)
        assert (second.run_id, second.events, second.completed, second.failed, second.denied) == ("late", 4, 1, 1, 1)
        assert (second.began, second.last) == (NOON + timedelta(seconds=1), NOON + timedelta(seconds=6))

    use(check)


def test_a_run_is_followed_while_it_is_written(use: Use) -> None:
    async def check(store: Store) -> None:
        seen: list[Event] = []

        async def look(after: int) -> None:
            async for event in store.follow("r1", after):
                seen.append(event)
                if len(seen) == 3:
                    return

        following = asyncio.create_task(look(0))
        await one_call(store, run="another")
        for n in range(4):
            await write(store, progress(n=n))
            await asyncio.sleep(0.002)
        await following
        assert [(event.sequence, event.data) for event in seen] == [(1, {"n": 1}), (2, {"n": 2}), (3, {"n": 3})]

    use(check)


def test_a_run_is_read_page_by_page(use: Use) -> None:
    async def check(store: Store) -> None:
        for call in ("c1", "c2"):
            await done(store.append(started(call)))
            await one_call(store, call, "another")
            await write(store, progress(call, n=1))
            await done(store.finish(ended(call=call), result(call)))
        whole = await store.read("r1")
        for most in (1, 2, 3, 6, 100):
            events: list[Event] = []
            ends: list[StoredResult] = []
            while True:
                page = await store.page("r1", events[-1].sequence if events else -1, most)
                assert len(page.events) <= most
                assert {each.sequence for each in page.results} <= {each.sequence for each in page.events}
                events += page.events
                ends += page.results
                if len(page.events) < most:
                    break
            assert (tuple(events), tuple(ends)) == (whole.events, whole.results)
        assert (await store.page("r1", 5, 10)).events == ()
        assert (await store.page("unknown", -1, 10)).events == ()
        await write(store, progress("c3", n=2))
        (later,) = (await store.page("r1", 5, 10)).events
        assert (later.sequence, later.data) == (6, {"n": 2})

    use(check)


def test_an_unknown_run(use: Use) -> None:
    async def check(store: Store) -> None:
        with pytest.raises(RunNotFound, match="there is no run 'r1'"):
            await store.read("r1")

    use(check)


def test_a_closed_store_takes_no_writes(use: Use) -> None:
    async def check(store: Store) -> None:
        await one_call(store)
        await store.close()
        with pytest.raises(StoreError, match="the store is closed"):
            store.append(started())
        with pytest.raises(StoreError, match="the store is closed"):
            store.finish(ended(), result())
        assert len((await store.read("r1")).events) == 2

    use(check)


def test_any_word_can_be_a_kind_and_any_text_a_run(use: Use) -> None:
    async def check(store: Store) -> None:
        await write(store, NewEvent("cache_hit", "a run/'; DROP TABLE events; --\n"))
        record = await store.read("a run/'; DROP TABLE events; --\n")
        assert record.events[0].kind == "cache_hit"

    use(check)


@pytest.mark.parametrize("data", [{"x": object()}, {"x": float("nan")}, {7: 1}, {"x": "\ud800"}, "text"])
def test_a_non_json_value_is_refused_at_once_and_leaves_nothing(use: Use, data: Any) -> None:
    async def check(store: Store) -> None:
        await write(store, started())
        with pytest.raises((ValueError, TypeError)):
            store.append(NewEvent("tool_progress", "r1", data=data))
        with pytest.raises((ValueError, TypeError)):
            store.finish(ended(), replace(result(), audit=data))
        assert [event.kind for event in (await store.read("r1")).events] == ["tool_started"]

    use(check)


def test_stored_values_do_not_change_with_their_source_objects(use: Use) -> None:
    async def check(store: Store) -> None:
        said, audit = {"rows": [1]}, {"rows": [1]}
        await write(store, NewEvent("tool_progress", "r1", data=said))
        await done(store.finish(ended(), replace(result(), audit=audit)))
        said["rows"].append(2)
        audit["rows"].append(2)
        record = await store.read("r1")
        assert record.events[0].data == {"rows": [1]}
        assert record.results[0].content["audit"] == {"rows": [1]}

    use(check)


@pytest.mark.parametrize("runs", [1, 50])
def test_the_end_of_a_run_in_memory_reads_the_rows_of_that_run_only(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    for number in range(runs):
        store.append(NewEvent("tool_started", f"r{number}", TOOL, "c"))
    read: list[Any] = []
    body_of = memory._event_body

    def counted(row: Any) -> Any:
        read.append(row[0])
        return body_of(row)

    monkeypatch.setattr(memory, "_event_body", counted)
    for number in range(runs):
        store.append(NewEvent("run_ended", f"r{number}", data={"end_reason": "completed"}))
    assert read == [f"r{number}" for number in range(runs)]
    rows = CountedRows(store._rows)
    store._rows = rows
    store.append(NewEvent("run_ended", "r0", data={"end_reason": "completed"}))
    assert rows.read <= 2


class CountedRows(list[Any]):
    """Counts the rows that are read."""

    read = 0

    def __getitem__(self, place: Any) -> Any:
        self.read += 1
        return super().__getitem__(place)

    def __iter__(self) -> Any:
        for row in super().__iter__():
            self.read += 1
            yield row

    def __reversed__(self) -> Any:
        for row in super().__reversed__():
            self.read += 1
            yield row
