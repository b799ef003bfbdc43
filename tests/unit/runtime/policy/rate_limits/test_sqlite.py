"""Counters in an SQLite file: shared by processes, refusing calls without the file, and without stale rows."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import time_machine

from tests.programs.forks import in_child
from tests.unit.runtime.policy.rate_limits.attempts import Attempt
from tests.unit.runtime.policy.rate_limits.caller import NOON, ready_callers
from tests.unit.runtime.tools import call, catalog_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.rate_limits.sqlite import CountersError, SqliteCounters

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept/limits.db"


def attempt(user: str = "ann", **limits: Any) -> Attempt:
    return Attempt(**{"ident": "own.tool", "user": user, "at": NOON, "cooldown_seconds": 30, **limits})


async def taken(counters: SqliteCounters) -> float:
    return await counters.take(*attempt())


def test_tel_28_the_limit_of_a_day_survives_attempts_under_a_clock_that_is_ahead(path: Path) -> None:
    async def check() -> list[float]:
        async with SqliteCounters(path) as counters:
            taken = [await counters.take(*attempt(cooldown_seconds=0, daily_limit=1))]
            with time_machine.travel(NOON + timedelta(days=9)):
                ahead: dict[str, Any] = {
                    "user": "ben",
                    "at": NOON + timedelta(days=9),
                    "cooldown_seconds": 0,
                    "daily_limit": 1,
                }
                taken.append(await counters.take(*attempt(**ahead)))
            taken.append(await counters.take(*attempt(cooldown_seconds=0, daily_limit=1)))
            return taken

    assert asyncio.run(check()) == [0, 0, 12 * 3600]


@pytest.mark.slow
@pytest.mark.long
def test_tel_28_four_processes_that_call_50_times_each_share_50_calls_a_day(path: Path) -> None:
    with ExitStack() as stack:
        callers = ready_callers(stack, str(path), 4, daily_limit=50)
        for caller in callers:
            caller.start(50)
        ends = [end for caller in callers for end in caller.ends()]
        assert ends.count(["ok", None]) == 50
        assert ends.count(["rate_limited", 12 * 3600]) == 150
        assert [caller.call(at=12 * 3600) for caller in callers] == [["ok", None]] * 4


@pytest.mark.slow
def test_tel_27_limits_hold_in_a_process_that_is_started_again(path: Path) -> None:
    with ExitStack() as stack:
        [one] = ready_callers(stack, str(path), 1, cooldown_seconds=30)
        assert one.call() == ["ok", None]
    with ExitStack() as stack:
        [other] = ready_callers(stack, str(path), 1, cooldown_seconds=30)
        assert other.call(at=10) == ["rate_limited", 20]
        assert other.call(at=10, user="ben") == ["ok", None]
        assert other.call(at=30) == ["ok", None]


def test_users_are_stored_as_digests_and_rows_are_removed_once_they_cannot_matter(path: Path) -> None:
    async def take(user: str) -> None:
        async with SqliteCounters(path) as counters:
            await counters.take(*attempt(user, daily_limit=1, call="ann@example.org:c"))

    asyncio.run(take("ann@example.org"))
    assert path.stat().st_mode & 0o077 == 0
    assert not [file for file in path.parent.iterdir() if b"ann@" in file.read_bytes()]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        [[expires]] = connection.execute("SELECT expires FROM cooldowns").fetchall()
        assert expires - time.monotonic() == pytest.approx(3630, abs=60)
        [[expires]] = connection.execute("SELECT expires FROM attempts").fetchall()
        assert expires - time.monotonic() == pytest.approx(25 * 3600, abs=60)
        [[expires]] = connection.execute("SELECT expires FROM calls").fetchall()
        assert expires - time.monotonic() == pytest.approx(30 * 86_400 + 3600, abs=60)
        for table in ("cooldowns", "attempts", "calls"):
            connection.execute(f"UPDATE {table} SET expires = 0")  # noqa: S608  # names in tests
        asyncio.run(take("ben"))
        for table in ("cooldowns", "attempts", "calls"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)  # noqa: S608  # as above


def test_where_the_file_is_locked_a_limited_call_does_not_run_and_the_loop_goes_on(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def call_one(counters: SqliteCounters, handler: Any) -> Any:
        catalog = catalog_of(handler, metadata={"limits": {"daily_limit": 9}})
        return await call(runtime_of(catalog, counters=counters))

    async def turns() -> int:
        count = 0
        while True:
            await asyncio.sleep(0.01)
            count += 1
            if not counting:
                return count

    async def check() -> Any:
        async with SqliteCounters(path, timeout=1) as counters:
            with closing(sqlite3.connect(path, isolation_level=None)) as holder:
                holder.execute("BEGIN IMMEDIATE")
                waiting = asyncio.ensure_future(turns())
                began = time.monotonic()
                refused = await asyncio.gather(*(call_one(counters, must_not_run) for _ in range(20)))
                assert time.monotonic() - began < 15, "they wait together, not one after the other, which takes 20"
                counting.clear()
                assert await waiting > 3
            assert (await call_one(counters, lambda _args: "ran")).success
            return refused[0]

    counting = [True]
    result = asyncio.run(check())
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "limits_unavailable")
    assert result.content[0].data == (
        "the limits of own.tool cannot be checked now\ntry again later, or go on without it"
    )
    records = [record for record in caplog.records if record.name == "toolgen"]
    assert {record.levelno for record in records} == {logging.WARNING}
    assert all(record.getMessage().startswith("limits cannot be checked in SQLite: ") for record in records)
    assert str(path.parent) not in caplog.text


def changed(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE cooldowns SET passed = 'never'")


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"no database" * 1000)
    other.replace(path)
    path.with_name(f"{path.name}-wal").unlink()  # SQLite would restore the pages that it has


def moved(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))


@pytest.mark.parametrize("spoil", [changed, replaced, moved])
def test_a_file_that_cannot_be_used_fails_the_call(
    path: Path, spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    with asyncio.Runner() as runner:
        counters = SqliteCounters(path)
        runner.run(taken(counters))
        spoil(path)
        with pytest.raises(CallFailed, match=r"the limits of own.tool cannot be checked now"):
            runner.run(taken(counters))
        runner.run(counters.aclose())
    assert "limits cannot be checked in SQLite: " in caplog.text
    assert str(path.parent) not in caplog.text


def test_a_file_that_was_deleted_begins_anew_for_all_who_use_it(path: Path) -> None:
    with asyncio.Runner() as runner:
        one, other = SqliteCounters(path), SqliteCounters(path)
        assert [runner.run(taken(each)) for each in (one, other)] == [0, 30]
        path.unlink()
        assert [runner.run(taken(each)) for each in (one, other, one)] == [0, 30, 30]
        for each in (one, other):
            runner.run(each.aclose())


def test_counters_hold_where_all_threads_of_the_loop_are_in_handlers(path: Path) -> None:
    async def check() -> float:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        async with SqliteCounters(path, timeout=10) as counters:
            is_taken = threading.Event()
            handler = loop.run_in_executor(None, is_taken.wait, 60)
            try:
                return await counters.take(*attempt())
            finally:
                is_taken.set()
                await handler

    assert asyncio.run(check()) == 0


def test_parents_and_children_share_counters(path: Path) -> None:
    counters = SqliteCounters(path)

    def take() -> float:
        return asyncio.run(taken(counters))

    assert take() == 0
    assert in_child(take) == 30
    assert take() == 30
    asyncio.run(counters.aclose())


def test_counters_that_were_closed_fail_the_call(path: Path) -> None:
    counters = SqliteCounters(path)
    asyncio.run(counters.aclose())
    with pytest.raises(CallFailed, match=r"the limits of own.tool cannot be checked now"):
        asyncio.run(taken(counters))


def test_a_file_of_another_kind_is_refused_when_it_is_opened(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE attempts (x)")
    with pytest.raises(CountersError, match="the file is not a file of counters of toolgen"):
        SqliteCounters(path)
    with pytest.raises(CountersError, match="the file of counters cannot be opened: No such file"):
        SqliteCounters(path.parent / "missing" / "limits.db")
