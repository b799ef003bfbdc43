"""Long runs: a page of calls is read without the rest, calls that overlap are on the page of their start."""

from __future__ import annotations

import asyncio
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.engines import until
from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import shop
from tests.unit.explore.test_security import known
from tests.unit.record.sample import done, ended, one_call, progress, result, started, write
from toolgen.explore import explorer
from toolgen.explore.records import Records
from toolgen.explore.servers import traffic_of
from toolgen.explore.visitors import Visitor
from toolgen.record import ChainKey, MemoryStore, PostgresStore, SqliteStore
from toolgen.record.calls import calls_of
from toolgen.record.chain import verify_chain
from toolgen.record.sqlite import SqliteReader
from toolgen.record.stores import open_reader
from toolgen.runtime.events.records import EventKind, NewEvent, RunNotFound
from toolgen.runtime.policy.approvers import Approver

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from pathlib import Path

    from toolgen.record.calls import RecordedCall
    from toolgen.record.chain import Chain, ChainHead
    from toolgen.runtime.events.records import RunRecord, Store

KEY = ChainKey(b"k" * 32)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


class Counting(MemoryStore):
    """A store that counts the events that were read, but not a first one alone: it tells whether a run is the same."""

    def __init__(self) -> None:
        super().__init__()
        self.read_events = 0

    async def read(self, run_id: str, /) -> RunRecord:
        raise AssertionError("all of a run is read at once")

    async def page(self, run_id: str, /, after: int, most: int) -> RunRecord:
        assert most <= 500
        found = await super().page(run_id, after, most)
        self.read_events += len(found.events) if most > 1 else 0
        return found


async def overlapping(store: Store) -> None:
    """Write a run in which calls overlap, ids are reused, calls never start or never end, and events have no call."""
    await done(store.append(started("long")))
    for number in range(40):
        await one_call(store, f"c{number % 7}")
        if number % 5 == 0:
            await done(store.append(started(f"o{number}")))
        if number % 5 == 3:
            await write(store, progress(f"o{number - 3}", n=number), NewEvent("noted", "r1"))
            await done(store.finish(ended(call=f"o{number - 3}"), result(f"o{number - 3}")))
        if number % 9 == 0:
            await done(store.finish(ended("tool_failed", f"r{number}"), result(f"r{number}")))
    await done(store.finish(ended(call="long"), result("long")))
    await done(store.append(started("never")))


@pytest.mark.parametrize(
    ("at_once", "kind"),
    [
        *((number, "memory") for number in (1, 3, 500)),
        *((1, "sqlite"), (3, "postgres"), (500, "sqlite"), (500, "postgres")),
        *(pytest.param(*each, marks=pytest.mark.long) for each in ((1, "postgres"), (3, "sqlite"))),
    ],
)
@pytest.mark.variants(3)
def test_pages_of_calls_are_those_of_the_whole_run(
    kind: str, at_once: int, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgen.explore.records._EVENTS", at_once)

    async def test() -> None:
        opened: dict[str, Callable[[], Store]] = {
            "memory": MemoryStore,
            "sqlite": lambda: SqliteStore(tmp_path / "store.db"),
            "postgres": lambda: PostgresStore(request.getfixturevalue("postgres_url")),
        }
        store = opened[kind]()
        await overlapping(store)
        every = calls_of(await store.read("r1"))
        records = Records(store, None)
        for size in (1, 10, 1000):
            found: list[RecordedCall] = []
            number = 1
            while True:
                page = await records.calls("r1", number, size)
                assert page.page == number
                assert not page.is_cut
                found += page.calls
                if not page.has_more:
                    break
                number += 1
            assert tuple(found) == every
            last = await Records(store, None).calls("r1", 10_000, size)
            assert (last.page, last.calls, last.has_more) == (number, page.calls, False)
        outline = await Records(store, None).outline("r1")
        states = [call.state for call in every]
        assert {**outline.counts, "running": len(outline.open)} == {
            state: states.count(state) for state in ("completed", "failed", "denied", "running")
        }
        assert outline.events == len((await store.read("r1")).events)
        with pytest.raises(RunNotFound):
            await records.calls("another", 1, 10)
        await store.close()

    run(test())


def test_the_first_page_of_a_long_run_needs_little_of_it_and_an_event_is_counted_once() -> None:
    async def test() -> None:
        store = Counting()
        for number in range(3_000):
            await one_call(store, f"c{number}")
        browser = await Browser(shop(store=store)).start()
        first = await browser.get("/runs/r1")
        assert (len(first["calls"]), first["page"], first["has_more"]) == (100, 1, True)
        assert 'hx-get="/runs/r1/verified" hx-trigger="load"' in await browser.page("/runs/r1")
        assert store.read_events <= 2_000
        assert (await browser.get("/runs/r1/summary"))["counts"]["completed"] == 3_000
        last = await browser.get("/runs/r1", page="999")
        assert (last["page"], last["calls"][-1]["call"], last["has_more"]) == (30, "c2999", False)
        await one_call(store, "new")
        store.read_events = 0
        assert (await browser.get("/runs/r1/summary"))["counts"]["completed"] == 3_001
        assert (await browser.get("/runs/r1", page="31"))["calls"][0]["call"] == "new"
        assert store.read_events == 4

    run(test())


def test_a_call_that_ends_far_behind_its_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.records._EVENTS", 10)
    monkeypatch.setattr("toolgen.explore.records._AHEAD", 20)
    monkeypatch.setattr("toolgen.explore.screens.runs.CALLS", 2)

    async def test() -> None:
        store = MemoryStore()
        store.append(started("long"))
        for number in range(50):
            await one_call(store, f"c{number}")
        browser = await Browser(shop(store=store)).start()
        assert [each["state"] for each in (await browser.get("/runs/r1"))["calls"]] == ["ends later", "completed"]
        store.append(started("running"))
        last = await browser.get("/runs/r1", page="26")
        assert [each["state"] for each in last["calls"]] == ["completed", "running"]

    run(test())


def test_outlines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.records._OUTLINES", 3)
    monkeypatch.setattr("toolgen.explore.records._OUTLINED_CALLS", 6)

    async def test() -> None:
        store = MemoryStore()
        records = Records(store, None)
        for name in "abcdef":
            await one_call(store, run=name)
            await records.outline(name)
        assert list(records._outlines) == ["d", "e", "f"]
        for number in range(10):
            await one_call(store, f"c{number}", run="many")
        await records.outline("many")
        assert list(records._outlines) == ["many"]
        for number in range(1_200):
            await write(store, NewEvent(EventKind.TOOL_PROGRESS, "wide", f"tool_{number}", "c"))
        outline = await records.outline("wide")
        assert len(outline.tools) == 1_000
        assert outline.has_tool("tool_1199")

    run(test())


def user_call(call: str, user: str) -> NewEvent:
    return NewEvent(EventKind.TOOL_STARTED, "r1", "goods.find", call, {"user": user})


def test_a_run_of_several_users_is_hidden_from_each_however_late_the_second_comes() -> None:
    async def test() -> None:
        store = MemoryStore()
        for number in range(700):
            await write(store, user_call(f"c{number}", "ana"))
        app = shop(store=store, authenticate=known)
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
        parts = ("", "/summary", "/verified", "/replay")
        for part in parts:
            await ana.get(f"/runs/r1{part}")
            await bo.get(f"/runs/r1{part}", status=404)
        assert (await bo.http.get("/events/runs/r1")).status_code == 404
        assert [each["run"] for each in (await ana.get("/runs"))["runs"]] == ["r1"]
        assert (await bo.get("/runs"))["runs"] == []
        await write(store, user_call("late", "bo"))
        for browser in (ana, bo):
            for part in parts:
                await browser.get(f"/runs/r1{part}", status=404)
            assert (await browser.get("/runs"))["runs"] == []
            assert (await browser.http.get("/events/runs/r1")).status_code == 404

    run(test())


def test_a_page_shows_nothing_of_a_run_whose_rest_may_be_of_another_user() -> None:
    async def test() -> None:
        store = Counting()
        for number in range(1_200):
            await write(store, user_call(f"c{number}", "ana"))

        async def visitors() -> tuple[Browser, Browser]:
            app = shop(store=store, authenticate=known)
            ana, bo = [Browser(app, headers={"x-user-token": f"t-{who}"}) for who in ("ana", "bo")]
            return await ana.opened(), await bo.opened()

        ana, bo = await visitors()
        page = await ana.page("/runs/r1")
        assert "to know that all of it is yours" in page
        assert 'data-live="/events/runs/r1" data-version=""' in page
        assert "goods.find" not in page
        assert store.read_events == 500
        store.read_events = 0
        assert (await bo.http.get("/runs/r1")).status_code == 404
        assert (await bo.http.get("/runs/r1?whole=yes")).status_code == 404
        await bo.get("/runs/r1", status=404)
        assert (await bo.get("/runs"))["runs"] == []
        assert store.read_events == 0  # ana's first event is known
        part = await ana.http.get("/runs/r1", headers={"HX-Request": "true"})
        assert part.text.count("<code>goods.find</code>") == 100
        assert "<code>goods.find</code>" in await ana.page("/runs/r1")
        assert "<code>goods.find</code>" in await (await visitors())[0].page("/runs/r1?whole=yes")
        await write(store, user_call("late", "bo"))
        assert (await ana.http.get("/runs/r1")).status_code == 404
        ana, bo = await visitors()
        assert "goods.find" not in await ana.page("/runs/r1")
        for path in ("/events/runs/r1", "/runs/r1?whole=yes", "/runs/r1"):
            assert (await ana.http.get(path)).status_code == 404
            assert (await bo.http.get(path)).status_code == 404

    run(test())


def test_a_record_that_is_being_written_is_intact(tmp_path: Path) -> None:
    """What is written while a chain is read comes after its head."""

    class Meanwhile(SqliteReader):
        def chain_page(self, run_id: str, /, first: int, most: int) -> Chain:
            write_one()
            found = super().chain_page(run_id, first, most)
            write_one()
            return found

    file = tmp_path / "record.db"

    async def one_more() -> None:
        store = SqliteStore(file, key=KEY)
        await one_call(store, "c")
        await store.close()

    def write_one() -> None:
        asyncio.run(one_more())

    write_one()

    async def test() -> None:
        browser = await Browser(explorer(shop().runtime, store=Meanwhile(file), chain_key=KEY)).start()
        chain = (await browser.get("/runs/r1/verified"))["chain"]
        assert chain["is_intact"], chain

    run(test())


def test_the_whole_chain_is_verified_after_the_page_and_the_first_broken_row_is_named(tmp_path: Path) -> None:
    import sqlite3

    async def test() -> None:
        file = tmp_path / "record.db"
        store = SqliteStore(file, key=KEY)
        writes: list[Awaitable[None]] = []
        for number in range(400):
            writes += [store.append(started(f"c{number}")), store.finish(ended(call=f"c{number}"), result())]
        await asyncio.gather(*writes)
        await store.close()
        app = explorer(shop().runtime, store=open_reader(file), chain_key=KEY)
        browser = await Browser(app).start()
        assert "800 rows, each of which follows" in await browser.page("/runs/r1/verified")
        for row in (777, 790):
            with closing(sqlite3.connect(file)) as connection, connection:
                connection.execute("UPDATE events SET body = replace(body, 'shop', 'ship') WHERE sequence = ?", (row,))
        assert len((await browser.get("/runs/r1"))["calls"]) == 100
        chain = (await browser.get("/runs/r1/verified"))["chain"]
        assert (chain["is_intact"], chain["sequence"]) == (False, 777)
        part = await browser.http.get("/runs/r1/verified", headers={"HX-Request": "true"})
        assert "(row 777)" in part.text
        assert "<html" not in part.text

    run(test())


async def a_run_of(store: Store, user: str, run_id: str, calls: int) -> None:
    for number in range(calls):
        await write(store, NewEvent(EventKind.TOOL_STARTED, run_id, "goods.find", f"c{number}", {"user": user}))
        await done(store.finish(ended(call=f"c{number}", run=run_id), result(f"c{number}")))


def test_a_replay_reads_as_much_as_it_checks_and_of_the_run_of_another_user_one_page() -> None:
    async def test() -> None:
        read: list[int] = []
        for calls in (1_500, 4_000):
            store = Counting()
            await a_run_of(store, "ana", "r1", calls)
            app = shop(store=store, authenticate=known)
            bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
            await bo.get("/runs/r1/replay", status=404)
            assert store.read_events == 500
            ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
            found = await ana.get("/runs/r1/replay")
            assert (len(found["calls"]), found["left_out"], found["has_more"]) == (1_000, calls - 1_000, False)
            assert {(each["call"], each["state"]) for each in found["calls"]} == {
                (f"c{number}", "completed") for number in range(1_000)
            }
            store.read_events = 0
            person = await Browser(shop(store=store)).start()
            found = await person.get("/runs/r1/replay")
            assert (len(found["calls"]), found["has_more"]) == (1_000, True)
            assert 1 <= found["left_out"] <= 250
            assert "At least" in await person.page("/runs/r1/replay")
            read.append(store.read_events)
        assert read[0] == read[1] <= 20_000

    run(test())


def test_a_call_to_save_is_read_without_the_rest_of_its_run(tmp_path: Path) -> None:
    async def test() -> None:
        store = Counting()
        await a_run_of(store, "ana", "r1", 4_000)
        browser = await Browser(shop(store=store, project=tmp_path)).start()
        saved = await browser.get("/runs/r1/calls/300/save")
        assert (saved["number"], saved["state"]) == (300, "completed")
        assert store.read_events <= 2_500
        for number in ("0", "4001", "x", "-1"):
            await browser.get(f"/runs/r1/calls/{number}/save", status=404)

    run(test())


def test_a_call_is_found_in_its_run_without_all_of_its_progress() -> None:
    async def test() -> None:
        browser = await Browser(shop(store=Counting())).start()
        ended = await browser.until(await browser.call("goods.count", {"steps": 10}), "ended")
        assert (ended["problem"], ended["number"]) == ("", 1)
        assert [each["stage"] for each in ended["stages"]]

    run(test())


class Paged(SqliteReader):
    """A reader that notes how many events are read at once for a verification, which waits for a gate."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.gate = Event()
        self.gate.set()
        self.pages: list[int] = []
        self.begun = 0

    def chain(self, run_id: str) -> Chain:
        raise AssertionError("all of a run is read at once")

    def head(self, run_id: str) -> ChainHead:
        self.begun += 1
        self.gate.wait(60)
        return super().head(run_id)

    def chain_page(self, run_id: str, /, first: int, most: int) -> Chain:
        found = super().chain_page(run_id, first, most)
        self.pages.append(len(found.links))
        return found


def test_a_record_is_verified_page_by_page_and_each_finding_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr("toolgen.explore.records._EVENTS", 30)
    monkeypatch.setattr("toolgen.explore.records._FINDINGS", 3)

    async def test() -> None:
        file = tmp_path / "record.db"
        store = SqliteStore(file, key=KEY)
        await a_run_of(store, "ana", "r1", 100)
        await store.close()
        reader = Paged(file)
        browser = await Browser(explorer(shop().runtime, store=reader, chain_key=KEY)).start()
        chain = (await browser.get("/runs/r1/verified"))["chain"]
        assert (chain["is_intact"], chain["rows"], chain["findings"]) == (True, 200, 0)
        assert reader.pages == [30] * 6 + [20]
        for statement in (
            "UPDATE events SET digest = zeroblob(32) WHERE sequence BETWEEN 90 AND 129",
            "DELETE FROM results WHERE sequence BETWEEN 61 AND 79",
            "DELETE FROM events WHERE sequence = 150",
            "INSERT INTO results VALUES ('r1', 500, x'7b7d')",
        ):
            with closing(sqlite3.connect(file)) as connection, connection:
                connection.execute(statement)
        expected = verify_chain(SqliteReader(file).chain("r1"), reader.head("r1"), KEY)
        chain = (await browser.get("/runs/r1/verified"))["chain"]
        assert (chain["first"], chain["sequence"]) == (expected[0].message, 61)
        assert chain["findings"] == len(expected) > 50
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE events SET digest = zeroblob(32)")
        chain = (await browser.get("/runs/r1/verified"))["chain"]
        expected = verify_chain(SqliteReader(file).chain("r1"), reader.head("r1"), KEY)
        assert chain["findings"] == len(expected)

    run(test())


def test_few_records_are_verified_at_a_time_and_one_visitor_leaves_a_place_to_others(tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "record.db"
        store = SqliteStore(file, key=KEY)
        for user in ("ana", "bo"):
            await a_run_of(store, user, f"of_{user}", 2)
        await store.close()
        reader = Paged(file)
        app = explorer(shop().runtime, store=reader, chain_key=KEY, authenticate=known)
        ana, bo = [await Browser(app, headers={"x-user-token": f"t-{who}"}).opened() for who in ("ana", "bo")]
        reader.gate.clear()
        asked = [asyncio.create_task(ana.get("/runs/of_ana/verified")) for _ in range(8)]
        await until(lambda: reader.begun == 2 and app.whole_runs._places._waiting.free == 194, seconds=30)
        asked.append(asyncio.create_task(bo.get("/runs/of_bo/verified")))
        await until(lambda: reader.begun == 3, seconds=30)
        reader.gate.set()
        assert [each["chain"]["is_intact"] for each in await asyncio.gather(*asked)] == [True] * 9
        assert reader.begun == 9

    run(test())


def test_the_page_of_servers_reads_runs_page_by_page_and_few_requests_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a page of events only what is shown is kept, so memory is that of a page for each place."""
    monkeypatch.setattr("toolgen.explore.screens.servers._KINDS", ("mcp", "http", "service"))
    most = [0, 0]

    class Held(Counting):
        async def page(self, run_id: str, /, after: int, most_events: int) -> RunRecord:
            most[0] += 1
            most[1] = max(most)
            await asyncio.sleep(0)
            try:
                return await super().page(run_id, after, most_events)
            finally:
                most[0] -= 1

    async def test() -> None:
        store = Held()
        for number in range(3):
            await a_run_of(store, "ana", f"of_ana_{number}", 600)
        app = shop(store=store, authenticate=known)
        browsers = [await Browser(app, headers={"x-user-token": f"t-{who}"}).opened() for who in ("ana", "bo")]
        found = await asyncio.gather(*(each.get("/servers") for each in browsers * 10))
        assert {each["runs_read"] for each in found} == {0, 3}
        assert 1 < most[1] <= 3
        assert store.read_events == 10 * 3 * 1200

    run(test())


def test_runs_and_servers_of_a_user_are_found_however_many_others_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.screens.runs._READ", 5)
    monkeypatch.setattr("toolgen.explore.servers._RUNS", 5)

    async def test() -> None:
        store = MemoryStore()
        await a_run_of(store, "ana", "first", 2)
        await write(store, NewEvent(EventKind.TOOL_STARTED, "shared", "goods.find", "c", {"user": "ana"}))
        await write(store, NewEvent(EventKind.TOOL_STARTED, "shared", "goods.find", "d", {"user": "bo"}))
        for number in range(20):
            await a_run_of(store, "bo", f"bo_{number}", 1)
        app = shop(store=store, authenticate=known)
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        listed = await ana.get("/runs")
        assert ([each["run"] for each in listed["runs"]], listed["is_bounded"]) == (["first"], False)
        bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
        listed = await bo.get("/runs")
        assert (len(listed["runs"]), listed["is_bounded"]) == (5, True)
        visitor = Visitor(Approver("ana"), sees_all=False)
        assert app.records is not None
        _, read = await traffic_of(app.records, app.runtime.catalog, ["goods"], visitor)
        assert read == 2

    run(test())
