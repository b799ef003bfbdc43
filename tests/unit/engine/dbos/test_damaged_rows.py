"""Rows that somebody else wrote into the database of runs: each door says where, and none ends with a traceback."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from itertools import count
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import until
from tests.unit.engine.test_signals import command
from toolgen.engine.dbos.adoption import count_deaths_of, undo_death
from toolgen.engine.dbos.contracts import add_contracts, contract_of
from toolgen.engine.dbos.lease import DEAD, Watch
from toolgen.engine.dbos.retention import OldRuns
from toolgen.engine.dbos.tables import cancel_orphans, wait_for_tool
from toolgen.engine.schedules import Schedule
from toolgen.runtime.events.records import DamagedRun
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.engine.engines import Engines, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
AT = 1.0
ODD: list[Any] = [5, None, [], "x", {}, {"at": 1}]
SIGNALS: list[Any] = [*ODD, {"name": "go", "by": "a", "at": "x"}, {"name": "go", "by": 5, "at": AT}]
ANSWERS: list[Any] = [
    *ODD,
    {"question": "q", "call": "c", "tool": "t", "decision": "deny", "by": "a", "at": "x"},
    {"question": "q", "call": "c", "tool": "t", "decision": "deny", "by": "a", "at": 1e300},
    {"question": "q", "call": "c", "tool": "t", "decision": "deny", "by": 5, "at": AT},
    {"question": "q", "call": "c", "tool": "t", "decision": "deny", "by": "a", "at": AT, "others": [5]},
    {"question": "q", "call": "c", "tool": "t", "decision": "deny", "by": "a", "at": AT, "others": [{"by": 5}]},
]


def sql(running: Running, statement: str, **values: Any) -> None:
    engine: Any = running.engine
    schema = "dbos." if engine._tables.engine.name == "postgresql" else ""
    for name, value in values.items():
        if isinstance(value, bytes):
            statement = statement.replace(f":{name}", f"CAST(:{name} AS TEXT)")
    with engine._tables.engine.begin() as connection:
        connection.execute(sa.text(statement.replace("{dbos}", schema)), values)


async def refused(durable: Engines, where: str, *commands: Sequence[str]) -> None:
    """Run commands that have to say where the damage is."""
    for args in commands:
        code, output = await asyncio.to_thread(command, durable, *args)
        assert code == 2, f"{args}: {output}"
        assert where in " ".join(output.split()), f"{args}: {output}"


async def left_out(
    durable: Engines, where: str, look: Any, args: Sequence[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Let a list, and a command that shows it, leave a row out, and tell where the damage is."""
    caplog.clear()
    assert "odd" not in str(await look())
    assert f"{where} cannot be read" in caplog.text
    caplog.clear()
    assert (await asyncio.to_thread(command, durable, *args))[0] == 0
    assert f"{where} cannot be read" in caplog.text


async def asking(running: Running, run_id: str = "r1") -> str:
    await running.engine.start(request([write("a")], run_id=run_id))
    (asked,) = await running.questions(run_id)
    return asked.id


async def insert(running: Running, topic: str, message: Any) -> None:
    sql(running, "DELETE FROM {dbos}notifications")
    sql(
        running,
        "INSERT INTO {dbos}notifications (message_uuid, destination_uuid, topic, message, created_at_epoch_ms) "
        "VALUES ('m', 'r1', :topic, :message, 1)",
        topic=topic,
        message=message if isinstance(message, str) else json.dumps(message),
    )


def test_a_signal_that_is_none_is_told_with_its_run(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await asking(running)
        for odd in SIGNALS:
            await insert(running, "signal:go", odd)
            for act in (running.engine.signals("r1"), running.engine.signal("r1", "go", by="a")):
                with pytest.raises(DamagedRun, match="a signal of 'r1' cannot be read"):
                    await act
        await refused(durable, "a signal of 'r1'", ["show", "r1"], ["signal", "r1", "go"])

    durable.run(body)


def test_an_answer_that_is_none_is_told_with_its_run(durable: Engines) -> None:
    async def body(running: Running) -> None:
        question = await asking(running)
        engine = running.engine
        for odd in ANSWERS:
            await insert(running, "answer:other", odd)
            for act in (engine.answers("r1"), engine.approvals("r1"), engine.decide("r1", question, ALLOW, by="a")):
                with pytest.raises(DamagedRun, match="an answer of 'r1' cannot be read"):
                    await act
        await refused(durable, "an answer of 'r1'", ["show", "r1"], ["approve", "r1"])

    durable.run(body)


def test_a_request_that_is_none_is_told_with_its_run(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await asking(running)
        await running.engine.cancel("r1")
        for odd in ("[", "5", "{}", '{"args": []}', '{"args": [5]}', '{"args": [{"max_turns": "x"}]}'):
            sql(running, "UPDATE {dbos}workflow_input SET inputs = :odd", odd=odd)
            with pytest.raises(DamagedRun, match="the request of 'r1' cannot be read"):
                await running.engine.resume("r1", turns=1)
        assert (await running.engine.info("r1")).state == "cancelled"
        await refused(durable, "the request of 'r1'", ["resume", "r1", "--turns", "1"])

    durable.run(body)


def test_a_step_that_is_none_is_told_with_its_run(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await asking(running)
        sql(running, "UPDATE {dbos}operation_outputs SET output = :odd", odd='{"message": 5}')
        with pytest.raises(DamagedRun, match="values of 'r1' that cannot be read"):
            await running.engine.timeline("r1")
        await refused(durable, "of 'r1'", ["show", "r1", "--timeline"])

    durable.run(body)


@pytest.mark.parametrize("odd", ["definition = '['", "definition = '{}'", "definition = '[]'", "set_at = -1e300"])
def test_a_schedule_that_is_none_is_told_by_its_name_and_can_be_removed(
    durable: Engines, odd: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.set_schedule(Schedule(name="odd", request=request([]), cron="0 0 * * *"), by="me")
        await engine.pause_schedule("odd")
        sql(running, f"UPDATE toolgen_schedules SET {odd}, is_paused = true")  # noqa: S608  # in a test
        if odd.startswith("definition"):
            await left_out(durable, "the schedule 'odd'", engine.schedules, ["schedules", "list"], caplog)
            with pytest.raises(DamagedRun, match="the schedule 'odd' cannot be read"):
                await engine.pause_schedule("odd", paused=False)
            await refused(durable, "the schedule 'odd'", ["schedules", "resume", "odd"])
        else:
            await engine.schedules()
        await engine.remove_schedule("odd")
        assert await engine.schedules() == []

    durable.run(body)


@pytest.mark.parametrize("deleted", ["[]", "5", '{"runs": "x"}', '{"states": [1]}', '{"agents": {"a": "b"}}', "["])
def test_what_was_deleted_is_told_where_it_cannot_be_read(durable: Engines, deleted: str) -> None:
    async def body(running: Running) -> None:
        sql(
            running,
            "INSERT INTO toolgen_retention (id, worker, token, seconds, next_at, ended_at, deleted) "
            "VALUES (1, 'w', 't', 1e300, 1, 1e300, :deleted)",
            deleted=deleted,
        )
        with pytest.raises(DamagedRun, match="what workers delete by themselves cannot be read"):
            await running.engine.retention()
        await refused(durable, "what workers delete by themselves", ["workers"])

    durable.run(body)


@pytest.mark.parametrize(
    "about", ["[]", "5", '{"runs": "x"}', '{"colour": 1}', '{"concurrency": "x"}', '{"version": 5}']
)
def test_a_worker_that_cannot_be_read_is_told_by_its_name(
    durable: Engines, about: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(running: Running) -> None:
        sql(
            running,
            "INSERT INTO toolgen_workers (worker, place, beats, about) VALUES ('odd', 1, 1, :about)",
            about=about,
        )
        await left_out(durable, "the worker 'odd'", running.engine.workers, ["workers"], caplog)
        assert [each.name for each in await running.engine.workers()] == [running.worker.name]

    durable.run(body)


def test_an_odd_row_of_a_run_stops_no_adoption(durable: Engines) -> None:
    """A run whose row says anything fails or goes on; the others are taken over."""

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await asking(running)
        await asking(running, "r2")
        for odd in ('"x"', "[1]", '{"deaths": 5, "steps": 1}', '{"deaths": [5]}'):
            sql(running, "UPDATE {dbos}workflow_status SET attributes = :odd WHERE workflow_uuid = 'r1'", odd=odd)
            count_deaths_of(engine._tables, running.worker.name)
            undo_death(engine._tables, running.worker.name)
        await until(lambda: engine.approvals("r2"))

    durable.run(body)


DEEP = "[" * 100_000 + "]" * 100_000
TEXTS = [
    "5",
    "null",
    '"x"',
    "[]",
    "{}",
    "[5]",
    '{"c": 5}',
    '{"c": {"id": []}}',
    '{"question": []}',
    "9" * 5000,
    "1e999",
]
NO_JSON = ["", "[", DEEP, "\\ud800", "x" * 1_000_000]
"""What no column of JSON takes; all others of runs are texts."""
NO_UTF8 = [b"\xff", b'{"c": "\xff"}', b"\xed\xa0\x80"]
"""Texts that SQLite takes, and Postgres does not."""

ROWS = {
    "what it asks": "UPDATE {dbos}workflow_events SET value = :odd WHERE workflow_uuid = 'r1' AND key = 'questions'",
    "what it waits for": "INSERT INTO {dbos}workflow_events (workflow_uuid, key, value) VALUES ('r1', 'signals', :odd)",
    "its progress": "INSERT INTO {dbos}workflow_events (workflow_uuid, key, value) VALUES ('r1', 'progress', :odd)",
    **{
        f"a message of {topic}": "INSERT INTO {dbos}notifications "  # noqa: S608  # in a test
        "(message_uuid, destination_uuid, topic, message, created_at_epoch_ms) "
        f"VALUES ('m', 'r1', '{topic}', :odd, 1)"
        for topic in ("answer:other", "allowed:other:0", "signal:go")
    },
    "its request": "UPDATE {dbos}workflow_input SET inputs = :odd WHERE workflow_uuid = 'r1'",
    "its steps": "UPDATE {dbos}operation_outputs SET output = :odd WHERE workflow_uuid = 'r1'",
    "its row": "UPDATE {dbos}workflow_status SET attributes = :odd WHERE workflow_uuid = 'r1'",
}
READERS = ["approvals", "answers", "signals", "progress", "timeline", "info"]


@pytest.mark.parametrize("row", ROWS)
def test_a_damaged_row_of_one_run_holds_up_no_other(
    durable: Engines, row: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Lists, metrics, the death of a worker, and all that workers do beside runs go on with the others."""
    of_json = row == "its row" and durable.kind == "postgres"
    texts: list[str | bytes] = [each for each in TEXTS if not of_json or each != "1e999"]
    texts += [] if of_json else NO_JSON
    texts += NO_UTF8 if durable.kind == "sqlite" else []

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await asking(running)
        await asking(running, "r2")
        tables = engine._tables
        for odd in texts:
            sql(running, "DELETE FROM {dbos}workflow_events WHERE workflow_uuid = 'r1' AND key <> 'questions'")
            sql(running, "DELETE FROM {dbos}notifications")
            sql(running, ROWS[row], odd=odd)
            caplog.clear()
            told = caplog.text
            for reader in READERS:
                try:
                    await getattr(engine, reader)("r1")
                except DamagedRun as error:
                    told += str(error)
            about_others = [await engine.runs(), await engine.runs(states=["waiting"]), await engine.asking()]
            assert all("r2" in [info.run_id for info in infos] for infos in about_others)
            assert (await engine.load()).questions_open in (1, 2)
            told += caplog.text
            for infos in about_others:
                is_told = "'r1'" in told or "r1" in [info.run_id for info in infos]
                assert is_told or (row, odd) == ("what it asks", "{}"), f"{row}: {odd[:20]!r}"
            assert await engine.approvals("r2")
            count_deaths_of(tables, running.worker.name)
            undo_death(tables, running.worker.name)
            cancel_orphans(tables)
            assert OldRuns(tables, 3600).delete_batch() is None
        await running.engine.start(request([read("a")], run_id="r3"))
        assert (await running.engine.result("r3", 30)).stopped == "completed"

    durable.run(body)


@pytest.mark.parametrize("column", ["workflow_uuid", "status", "authenticated_user", "executor_id", "created_at"])
def test_a_text_that_is_no_utf8_in_the_row_of_one_run_holds_up_no_other(
    durable: Engines, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    if durable.kind != "sqlite":
        return  # Postgres takes no such text

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await asking(running)
        await asking(running, "r2")
        sql(running, "PRAGMA foreign_keys=OFF")
        for odd in NO_UTF8:
            odd_row = f"UPDATE {{dbos}}workflow_status SET {column} = :odd WHERE workflow_uuid <> 'r2'"  # noqa: S608  # in a test
            sql(running, odd_row, odd=odd)
            caplog.clear()
            assert [info.run_id for info in await engine.runs()] == ["r2"]
            assert "the run " in caplog.text
            assert "r2" in [info.run_id for info in await engine.asking()]
            assert (await engine.load()).questions_open in (1, 2)

    durable.run(body)


SHARED = {
    "a contract": ("toolgen_contracts", ["args_schema", "tool", "digest"]),
    "what workers deleted": ("toolgen_retention", ["deleted", "worker", "seconds", "next_at", "ended_at"]),
    "a lease": ("toolgen_workers", ["about", "worker", "beats", "beaten_at", "place"]),
}
KEYS = {"tool", "digest", "worker"}
NUMBERS = {"seconds", "next_at", "ended_at", "beats", "beaten_at", "place"}


@pytest.mark.parametrize(("table", "column"), [(table, each) for table, columns in SHARED.values() for each in columns])
def test_a_damaged_row_of_no_run_holds_up_none(
    durable: Engines, table: str, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    if column in NUMBERS and durable.kind != "sqlite":
        return  # Postgres takes numbers only
    if table == "toolgen_workers" and durable.kind != "sqlite":
        return  # the worker takes over what a silent one has, and removes its row, at any time

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await asking(running)
        (asked,) = await engine.approvals("r1")
        tables = engine._tables
        sql(running, "INSERT INTO toolgen_workers (worker, place, beats) VALUES ('odd', 1, 1)")
        sql(
            running,
            "INSERT INTO toolgen_retention (id, worker, token, seconds, next_at) "
            "SELECT 1, 'w', 't', 60, 1e300 WHERE NOT EXISTS (SELECT 1 FROM toolgen_retention)",
        )
        own = running.worker.name
        where = {"toolgen_contracts": "tool <> 'odd'", "toolgen_workers": "worker <> :own"}.get(table, "id = 1")
        named = {"own": own} if ":own" in where else {}
        texts: list[str | bytes] = [*TEXTS, *NO_JSON, *(NO_UTF8 if durable.kind == "sqlite" else [])]
        for odd in texts:
            if column in KEYS and len(odd) > 1000:
                continue  # more than an index of Postgres takes
            sql(running, f"UPDATE {table} SET {column} = :odd WHERE {where}", odd=odd, **named)  # noqa: S608  # in a test
            caplog.clear()
            told = ""
            for look in (engine.workers, engine.retention, partial(engine._codec, asked)):
                try:
                    await look()
                except DamagedRun as error:
                    told += str(error)
            is_told = "cannot be read" in told + caplog.text
            assert is_told or column not in ("args_schema", "deleted", "about") or odd not in (*NO_JSON[1:], *NO_UTF8)
            assert own in [each.name for each in await engine.workers()]
            watch = Watch(tables.engine, own, count(0, 1000).__next__)
            for _ in range(8):
                watch.look()
            assert [info.run_id for info in await engine.runs()] == ["r1"]
            assert OldRuns(tables, 3600).delete_batch() is None
        add_contracts(tables.engine, {("odd", "d"): "{}"})
        assert contract_of(tables.engine, "odd", "d") == {}
        await running.engine.start(request([read("a")], run_id="r3"))
        assert (await running.engine.result("r3", 30)).stopped == "completed"

    durable.run(body)


@pytest.mark.parametrize("odd", ['{"c": 5}', "["])
@pytest.mark.parametrize("row", ["what it asks", "a message of answer:other"])
def test_a_worker_takes_over_all_runs_of_a_dead_one_beside_a_damaged_one(
    durable: Engines, row: str, odd: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        for run_id in ("r1", "r2", "r3"):
            await asking(running, run_id)
        sql(running, ROWS[row], odd=odd)
        sql(running, "UPDATE {dbos}workflow_status SET executor_id = 'dead'")
        sql(running, "INSERT INTO toolgen_workers (worker, place, beats) VALUES ('dead', 1, :dead)", dead=DEAD)
        for run_id in ("r2", "r3"):
            await until(partial(engine.info, run_id), lambda info: (info.worker, info.state) == ("mine", "waiting"))
        assert (await engine.info("r1")).worker == "mine"
        assert "'r1' cannot be read" in caplog.text
        rows = engine._tables.tables.workflow_status
        with engine._tables.engine.connect() as connection:
            counted = connection.execute(sa.select(rows.c.workflow_uuid, rows.c.attributes)).all()
        assert [run_id for run_id, about in counted if about.get("deaths")] == ["r1"]

    durable.run(body, worker={"name": "mine"})


@pytest.mark.parametrize("waits", [5, -1, "x", None, [], 10**9, 10**400, 1.5, 0, True])
def test_any_count_of_waits_for_a_tool_takes_no_time(durable: Engines, waits: Any) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await asking(running)
        tables = engine._tables
        about = json.dumps({"waits": waits, "waits_at": 3})
        sql(running, "UPDATE {dbos}workflow_status SET attributes = :odd, owner_xid = 'me'", odd=about)
        began = process_time()
        wait_for_tool(tables, "r1", "me", 600)
        assert process_time() - began < 5

    durable.run(body)
