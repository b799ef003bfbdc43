"""Schedules: each time starts one run, whoever is there, and those that were missed one afterwards."""

from __future__ import annotations

import asyncio
import json
import pickle
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.engine.app import read, request, script
from tests.unit.engine.engines import Engines, until
from tests.unit.engine.test_signals import command
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos import schedules as schedules_of_databases
from toolgen.engine.dbos.schedules import start_due
from toolgen.engine.schedules import Schedule, ScheduleNotFound

if TYPE_CHECKING:
    from tests.unit.engine.engines import Running

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = "0 2 * * *"


def schedule(name: str = "nightly", **fields: Any) -> Schedule:
    return Schedule(name=name, request=request([read("a")], user="ann"), **fields)


def times(made: Schedule, after: datetime, count: int) -> list[str]:
    found: list[str] = []
    at: float | None = after.timestamp()
    for _ in range(count):
        at = made.next_time(0.0, at or 0.0)
        assert at is not None
        found.append(datetime.fromtimestamp(at, BERLIN).strftime("%d %H:%M %Z"))
    return found


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        (NIGHT, "2026-03-27 12:00", ["28 02:00 CET", "29 03:00 CEST", "30 02:00 CEST"]),
        ("30 2 * * *", "2026-10-24 12:00", ["25 02:30 CEST", "26 02:30 CET", "27 02:30 CET"]),
        ("30 * * * *", "2026-10-25 01:45", ["25 02:30 CEST", "25 02:30 CET", "25 03:30 CET"]),
        ("0 9-10 * * mon-fri", "2026-11-20 09:30", ["20 10:00 CET", "23 09:00 CET", "23 10:00 CET"]),
    ],
)
def test_a_time_of_day_comes_once_a_day_also_when_clocks_change(cron: str, after: str, expected: list[str]) -> None:
    made = schedule(cron=cron, zone="Europe/Berlin")
    assert times(made, datetime.fromisoformat(after).replace(tzinfo=BERLIN), 3) == expected


@given(
    cron=st.sampled_from([NIGHT, "30 2 * * *", "*/20 * * * *", "0 0 1 * *", "15 3 * * sun", "30 2,3 * * *"]),
    zone=st.sampled_from(["Europe/Berlin", "UTC", "America/New_York", "Australia/Lord_Howe"]),
    begin=st.integers(0, 366 * 24),
    hours=st.integers(0, 90 * 24),
)
def test_the_latest_time_is_the_last_of_those_that_have_come(cron: str, zone: str, begin: int, hours: int) -> None:
    made = schedule(cron=cron, zone=zone)
    start = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=begin)).timestamp()
    first = made.next_time(0.0, start)
    assert first is not None
    assert first > start
    now = first + min(hours, 48 if "*/20" in cron else hours) * 3600
    latest, at = first, made.next_time(0.0, first)
    while at is not None and at <= now:
        latest, at = at, made.next_time(0.0, at)
    assert made.latest_time(0.0, first, now) == latest


@given(every=st.floats(1, 100_000), since=st.floats(0, 1e9), passed=st.floats(0, 1e7))
def test_intervals_count_from_when_they_were_set(every: float, since: float, passed: float) -> None:
    made, now = schedule(every=every), since + passed
    following = made.next_time(since, now)
    assert following is not None
    assert now < following <= now + every * 2.001
    first = made.next_time(since, since)
    assert first is not None
    if first <= now:
        assert first <= made.latest_time(since, first, now) <= now


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "either `cron` or `every`"),
        ({"cron": NIGHT, "every": 5.0}, "either `cron` or `every`"),
        ({"every": 0.5}, "it must be 1 second"),
        ({"every": float("nan")}, "every is nan"),
        ({"every": 1e9}, "every is 1000000000.0"),
        ({"cron": "0 2 30 2 *"}, "never comes"),
        ({"cron": "61 * * * *"}, "out of range"),
        ({"cron": "* * * * * *"}, "five fields"),
        ({"cron": "R R * * *"}, "five fields"),
        ({"cron": "@daily"}, "five fields"),
        ({"cron": "0 2 l * *"}, "five fields"),
        ({"cron": f"{'0,' * 200}0 2 * * *"}, "five fields"),
        ({"cron": "*/0 * * * *"}, "cron is"),
        ({"cron": NIGHT, "zone": "Mars/Olympus"}, "no time zone"),
        ({"cron": NIGHT, "zone": "../../etc/passwd"}, "no time zone"),
        ({"cron": NIGHT, "zone": ""}, "no time zone"),
        ({"cron": NIGHT, "name": "a b"}, "no name of a schedule"),
        ({"cron": NIGHT, "name": "x" * 101}, "no name of a schedule"),
    ],
)
def test_what_is_no_schedule_says_why(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        schedule(**fields)


def test_a_schedule_starts_no_run_of_a_call() -> None:
    with pytest.raises(ValueError, match="cannot start runs of calls"):
        Schedule(name="n", every=5.0, request=request(parent_run_id="r", parent_tool_call_id="c"))


def test_a_schedule_travels_as_json() -> None:
    for made in (schedule(cron=NIGHT, zone="Europe/Berlin"), schedule(every=5.0)):
        read_again = Schedule.from_json(made.name, json.loads(json.dumps(made.as_json())))
        assert read_again.as_json() == made.as_json()
        assert str(read_again) == str(made)
    error = pickle.loads(pickle.dumps(ScheduleNotFound("n")))
    assert str(error) == "there is no schedule 'n'"


@pytest.mark.variants(1)
def test_a_schedule_starts_runs_with_its_messages_agent_and_user(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.set_schedule(schedule("often", every=1.0), by="ops")
        (info,) = await until(engine.schedules, lambda found: bool(found[0].last_run_id))
        end = await engine.result(info.last_run_id, 300)
        assert (end.value, end.messages[0]) == ("done", script([read("a")])[0])
        run = await engine.info(info.last_run_id)
        assert (run.agent, run.user, info.by) == ("main", "ann", "ops")
        assert run.run_id.startswith("often:20")
        first = info.last_run_id
        await until(engine.schedules, lambda found: found[0].last_run_id != first)
        await engine.pause_schedule("often")
        (info,) = await engine.schedules()
        assert (info.is_paused, info.next_at) == (True, None)
        await engine.result(info.last_run_id, 300)
        seen = len(running.marks())
        await asyncio.sleep(1.5)
        assert len(running.marks()) == seen
        await engine.pause_schedule("often", paused=False)
        await until(lambda: len(running.marks()) > seen)
        await engine.remove_schedule("often")
        assert await engine.schedules() == []
        for name in ("often", "nowhere"):
            with pytest.raises(ScheduleNotFound):
                await engine.remove_schedule(name)
            with pytest.raises(ScheduleNotFound):
                await engine.pause_schedule(name)

    engines.run(body)


def test_a_schedule_that_is_set_again_goes_on_and_another_one_replaces_it(engines: Engines) -> None:
    async def body(running: Running) -> None:
        first = await running.engine.set_schedule(schedule(cron=NIGHT), by="ann")
        assert first.next_at is not None
        assert datetime.fromtimestamp(first.next_at, UTC).hour == 2
        await running.engine.pause_schedule("nightly")
        same = await running.engine.set_schedule(schedule(cron=NIGHT), by="bob")
        assert (same.by, same.is_paused) == ("ann", True)
        other = await running.engine.set_schedule(schedule(cron="0 3 * * *"), by="bob")
        assert (other.by, other.is_paused, other.next_at) == ("bob", True, None), "whoever has paused it resumes it"
        await running.engine.pause_schedule("nightly", paused=False)
        (again,) = await running.engine.schedules()
        assert again.next_at is not None
        assert datetime.fromtimestamp(again.next_at, UTC).hour == 3
        assert [info.schedule.name for info in await running.engine.schedules()] == ["nightly"]

    engines.run(body)


def moved_back(engine: DbosEngine, seconds: float) -> None:
    """Let schedules have been set, and due, so many seconds ago."""
    with engine._tables.engine.begin() as connection:  # no worker must have been there meanwhile
        past = sa.text("UPDATE toolgen_schedules SET set_at = set_at - :s, next_at = next_at - :s")
        connection.execute(past, {"s": seconds})


def test_of_many_workers_one_starts_the_run_of_a_time_and_missed_times_start_one(durable: Engines) -> None:
    durable.prepare()

    async def main() -> None:
        engine = DbosEngine(durable.url)
        await engine.set_schedule(schedule("often", every=60.0), by="ops")
        moved_back(engine, 3600 + 90)
        await asyncio.gather(*(asyncio.to_thread(start_due, engine._tables) for _ in range(8)))
        (run,) = await engine.runs()
        (info,) = await engine.schedules()
        assert (run.run_id, run.state) == (info.last_run_id, "queued")
        assert info.last_at is not None
        assert info.next_at is not None
        assert info.next_at == pytest.approx(info.last_at + 60, abs=0.01)
        assert start_due(engine._tables) <= 5
        assert len(await engine.runs()) == 1
        async with durable.opened() as running:
            assert (await running.engine.result(run.run_id, 300)).value == "done"
        await engine.close()

    asyncio.run(main())


def test_what_was_due_while_no_worker_ran_is_started_after_the_restart(durable: Engines) -> None:
    async def main() -> None:
        async with durable.opened() as running:
            await running.engine.set_schedule(schedule("rare", every=3600.0), by="ops")
            await running.engine.set_schedule(schedule("paused", every=3600.0), by="ops")
            await running.engine.pause_schedule("paused")
        engine = DbosEngine(durable.url)
        moved_back(engine, 5 * 3600.0)
        await engine.close()
        async with durable.opened() as running:
            found = await until(running.engine.schedules, lambda found: bool(found[1].last_run_id))
            await running.engine.result(found[1].last_run_id, 300)
            runs: Any = running.engine
            assert [run.run_id for run in await runs.runs()] == [found[1].last_run_id]

    asyncio.run(main())


def test_a_schedule_of_another_version_is_left_to_others(durable: Engines, caplog: pytest.LogCaptureFixture) -> None:
    durable.prepare()

    async def main() -> None:
        engine = DbosEngine(durable.url)
        for name in ("a", "b"):
            await engine.set_schedule(schedule(name, every=60.0), by="ops")
        with engine._tables.engine.begin() as connection:  # what another version may have written
            connection.execute(sa.text("UPDATE toolgen_schedules SET definition = '{\"at\": 1}' WHERE name = 'a'"))
        moved_back(engine, 100)
        start_due(engine._tables)
        (run,) = await engine.runs()
        assert run.run_id.startswith("b:")
        await engine.close()

    asyncio.run(main())
    assert "cannot start the run of the schedule a" in caplog.text


HOSTILE: dict[str, str] = {
    "token": "token = 'a b'",
    "no object": "definition = '[]'",
    "no JSON": "definition = '['",
    "deep": f"definition = '{'[' * 100_000}'",
    "no cron": """definition = '{"cron": 5, "request": {"messages": []}}'""",
    "no request": """definition = '{"every": 5, "request": 5}'""",
    "an agent": """definition = '{"every": 5, "request": {"messages": [], "agent": 5}}'""",
    "set long ago": """definition = '{"cron": "0 0 * * *", "request": {"messages": []}}', set_at = -1e18""",
    "due long ago": "set_at = -1e300, next_at = -1e300",
}
"""What somebody who can write to a database may write into the row of a schedule."""


@pytest.mark.parametrize("row", HOSTILE.values(), ids=[*HOSTILE])
def test_a_schedule_whose_run_cannot_be_made_holds_up_no_other(
    durable: Engines, row: str, caplog: pytest.LogCaptureFixture
) -> None:
    durable.prepare()

    async def main() -> None:
        engine = DbosEngine(durable.url)
        await engine.set_schedule(schedule("bad", every=60.0), by="ops")
        await engine.set_schedule(schedule("good", every=60.0), by="ops")
        moved_back(engine, 100)
        with engine._tables.engine.begin() as connection:
            connection.execute(sa.text(f"UPDATE toolgen_schedules SET {row} WHERE name = 'bad'".replace(": ", "\\: ")))  # noqa: S608  # in a test
        assert 0 < start_due(engine._tables) <= 5
        found = [run.run_id.partition(":")[0] for run in await engine.runs()]
        assert "good" in found
        assert ("bad" in found) == ("run of the schedule bad" not in caplog.text)
        await engine.close()

    asyncio.run(main())


def test_many_schedules_that_cannot_be_started_hold_up_no_other(durable: Engines) -> None:
    durable.prepare()

    async def main() -> None:
        engine = DbosEngine(durable.url)
        for number in range(3):
            await engine.set_schedule(schedule(f"s{number}", every=60.0), by="ops")
        moved_back(engine, 100)
        with engine._tables.engine.begin() as connection:
            connection.execute(sa.text("UPDATE toolgen_schedules SET definition = '[', next_at = 1 WHERE name < 's2'"))
        start_due(engine._tables)
        assert [run.run_id.partition(":")[0] for run in await engine.runs()] == ["s2"]
        await engine.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedules_of_databases, "_BATCH", 1)
        asyncio.run(main())


@pytest.mark.parametrize(
    ("fields", "text"),
    [({"cron": 5}, "cron is 5; it must be text"), ({"every": "5"}, "every is '5'"), ({"request": {}}, "a RunRequest")],
)
def test_a_schedule_has_fields_of_their_types(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Schedule(**{"name": "s", "request": request([]), **fields})


def test_schedules_are_steered_by_commands(durable: Engines) -> None:
    durable.prepare()

    def said(*args: str, code: int = 0) -> str:
        found, text = command(durable, "schedules", *args)
        assert found == code, text
        return text

    assert "no schedules" in said("list")
    text = "Tidy up.\x1b[1m"
    added = said("add", "nightly", "--cron", NIGHT, "--zone", "Europe/Berlin", "--agent", "main", "--message", text)
    assert "nightly starts a run at 20" in added
    assert "\x1b" not in said("list")
    assert "nightly  0 2 * * * Europe/Berlin  main  no run yet" in said("list")
    (shown,) = json.loads(said("list", "--format", "json"))
    assert shown["schedule"]["request"]["messages"] == [{"role": "user", "content": text}]
    assert "is paused" in said("pause", "nightly")
    assert "paused  " in said("list")
    assert "is resumed" in said("resume", "nightly")
    assert "there is no schedule 'x'" in said("pause", "x", code=2)
    assert "either `cron` or `every`" in said("add", "x", code=2)
    assert "is removed" in said("remove", "nightly")
    assert "there is no schedule" in said("remove", "nightly", code=2)
