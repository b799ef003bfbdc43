"""Counters in Postgres: shared by processes, refusing calls without Postgres, and without stale rows."""

from __future__ import annotations

import asyncio
import gc
import logging
import subprocess
import sys
import warnings
from contextlib import ExitStack, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.programs.postgres import standing_still
from tests.project.checkout import ROOT
from tests.unit.runtime.policy.rate_limits.attempts import Attempt
from tests.unit.runtime.policy.rate_limits.caller import NOON, ready_callers
from tests.unit.runtime.tools import call, catalog_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.rate_limits import postgres
from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.programs.postgres import PostgresServer

pytestmark = pytest.mark.slow

PASSWORD = "hunter2"
_WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def attempt(user: str = "ann", **limits: Any) -> Attempt:
    return Attempt(**{"ident": "own.tool", "user": user, "at": NOON, "cooldown_seconds": 30, **limits})


@pytest.mark.long
def test_tel_28_four_processes_that_call_50_times_each_share_50_calls_a_day(postgres_url: str) -> None:
    with ExitStack() as stack:
        callers = ready_callers(stack, postgres_url, 4, daily_limit=50)
        for caller in callers:
            caller.start(50)
        ends = [end for caller in callers for end in caller.ends()]
        assert ends.count(["ok", None]) == 50
        assert ends.count(["rate_limited", 12 * 3600]) == 150
        assert [caller.call(at=12 * 3600) for caller in callers] == [["ok", None]] * 4


@pytest.mark.long
def test_tel_27_29_a_cooldown_holds_in_every_process(postgres_url: str) -> None:
    with ExitStack() as stack:
        callers = ready_callers(stack, postgres_url, 4, cooldown_seconds=30)
        for caller in callers:
            caller.start(10)
        ends = [end for caller in callers for end in caller.ends()]
        assert ends.count(["ok", None]) == 1
        assert ends.count(["rate_limited", 30]) == 39
        one, other = callers[:2]
        assert other.call(at=10, user="ben") == ["ok", None]
        assert other.call(at=30) == ["ok", None]
        assert one.call(at=31) == ["rate_limited", 29]


def test_users_are_stored_as_digests_and_rows_are_removed_an_hour_after_they_matter(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_SWEEP_EVERY", 2)

    async def take(user: str) -> None:
        async with PostgresCounters(postgres_url) as counters:
            await counters.take(*attempt(user, daily_limit=1, call="ann@example.org:c"))
            await counters.take(*attempt("other", daily_limit=1))

    asyncio.run(take("ann@example.org"))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        rows = connection.execute("SELECT whose, expires - now() FROM toolgen.cooldowns").fetchall()
        assert b"ann@" not in b"".join(whose for whose, _ in rows)
        assert all(timedelta(seconds=3570) < left <= timedelta(seconds=3630) for _, left in rows)
        [left, _] = connection.execute("SELECT expires - now() FROM toolgen.attempts").fetchall()
        assert timedelta(hours=13) - timedelta(minutes=1) < left[0] <= timedelta(hours=13)
        [(call, kept)] = connection.execute("SELECT call, expires - now() FROM toolgen.calls").fetchall()
        assert b"ann@" not in call
        assert timedelta(days=30, minutes=59) < kept <= timedelta(days=30, hours=1)
        for table in ("cooldowns", "attempts", "calls"):
            connection.execute(f"UPDATE toolgen.{table} SET expires = now() - interval '1 second'")  # noqa: S608  # names in tests
        asyncio.run(take("ben"))
        for table in ("cooldowns", "attempts", "calls"):
            assert connection.execute(f"SELECT count(*) FROM toolgen.{table}").fetchone() == (1,)  # noqa: S608  # names in tests


def test_without_postgres_a_limited_call_does_not_run_and_later_ones_do(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def call_one(counters: PostgresCounters, handler: Any) -> Any:
        catalog = catalog_of(handler, metadata={"limits": {"daily_limit": 9}})
        return await call(runtime_of(catalog, counters=counters))

    async def check() -> Any:
        async with PostgresCounters(postgres_server.url()) as counters:
            assert (await call_one(counters, lambda _args: "ran")).success
            await asyncio.to_thread(postgres_server.stop, immediate=True)
            refused = await call_one(counters, must_not_run)
            await asyncio.to_thread(postgres_server.start)
            assert (await call_one(counters, lambda _args: "ran")).success
            await asyncio.to_thread(postgres_server.restart)
            assert (await call_one(counters, lambda _args: "ran")).success, "a cut connection is not used"
            return refused

    result = asyncio.run(check())
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "limits_unavailable")
    assert result.content[0].data == (
        "the limits of own.tool cannot be checked now\ntry again later, or go on without it"
    )
    [record] = [record for record in caplog.records if record.name == "toolgen"]
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("limits cannot be checked in Postgres: ")
    assert str(postgres_server.folder) not in record.getMessage()


def test_a_take_that_waits_too_long_is_refused_and_shifts_no_later_answer(postgres_url: str) -> None:
    async def check() -> list[float]:
        async with PostgresCounters(postgres_url, timeout=0.5) as counters:
            await counters.take(*attempt())
            with psycopg.connect(postgres_url) as connection:
                connection.execute("LOCK TABLE toolgen.cooldowns")
                taken = [counters.take(*attempt(user)) for user in ("ann", "ben") * 10]
                ends = await asyncio.gather(*taken, return_exceptions=True)
            assert {type(end) for end in ends} == {CallFailed}
            return [await counters.take(*attempt(user)) for user in ("ann", "eve", "ann")]

    assert asyncio.run(check()) == [30, 0, 30]


def test_a_server_that_stands_still_holds_a_take_no_longer_than_its_time(postgres_server: PostgresServer) -> None:
    """psycopg itself would wait ten seconds more for answers to its own request to cancel the statement."""

    async def take(counters: PostgresCounters, user: str) -> None:
        """Take, as often as it needs on a busy machine."""
        while True:
            with suppress(CallFailed):
                await counters.take(*attempt(user))
                return

    async def check() -> None:
        url = postgres_server.url()
        async with PostgresCounters(url, timeout=0.5) as counters:
            await take(counters, "ann")
            with standing_still(url):
                async with asyncio.timeout(5):
                    with pytest.raises(CallFailed, match="cannot be checked now"):
                        await counters.take(*attempt("ben"))
            await take(counters, "eve")

    asyncio.run(check())


def test_a_take_that_is_cancelled_does_not_wait_for_a_server_that_stands_still(postgres_server: PostgresServer) -> None:
    async def check() -> None:
        url = postgres_server.url()
        async with PostgresCounters(url, timeout=600) as counters:
            await counters.take(*attempt())
            with standing_still(url):
                waiting = asyncio.ensure_future(counters.take(*attempt("ben")))
                await asyncio.sleep(0.1)
                waiting.cancel()
                await asyncio.wait([waiting], timeout=4.5)
                assert waiting.cancelled()

    asyncio.run(check())


def test_the_server_ends_a_statement_whose_client_is_gone(postgres_url: str) -> None:
    async def check() -> None:
        async with PostgresCounters(postgres_url, timeout=1) as counters:
            await counters.take(*attempt())
            with psycopg.connect(postgres_url) as connection:
                connection.execute("LOCK TABLE toolgen.cooldowns")
                waiting = asyncio.ensure_future(counters.take(*attempt("ben")))
                with psycopg.connect(postgres_url, autocommit=True) as other:
                    while not other.execute(_WAITING).fetchall():
                        await asyncio.sleep(0.05)
                    waiting.cancel()
                    while other.execute(_WAITING).fetchall():
                        await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(check(), 60))


def test_a_take_can_be_cancelled_at_any_moment(postgres_url: str) -> None:
    async def cancel(counters: PostgresCounters, after_steps: int) -> None:
        waiting = asyncio.ensure_future(counters.take(*attempt()))
        for _ in range(after_steps):
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async def check() -> list[float]:
        async with PostgresCounters(postgres_url, timeout=600) as counters:
            await counters.take(*attempt())
            with psycopg.connect(postgres_url) as connection:
                connection.execute("LOCK TABLE toolgen.cooldowns")
                for steps in range(20):
                    await cancel(counters, steps)
            return [await counters.take(*attempt(user)) for user in ("ann", "eve", "ann")]

    assert asyncio.run(check()) == [30, 0, 30]


def test_a_take_that_is_cancelled_while_it_connects_leaves_no_connection(postgres_url: str) -> None:
    async def check() -> None:
        async with PostgresCounters(postgres_url, timeout=600) as counters:
            await counters.take(*attempt())
        for step in range(60):  # a connection takes about 10 ms here
            async with PostgresCounters(postgres_url, timeout=600) as counters:
                waiting = asyncio.ensure_future(counters.take(*attempt()))
                await asyncio.sleep(step * 0.0004)
                waiting.cancel()
                with suppress(asyncio.CancelledError):
                    await waiting

    assert warned_by(lambda: asyncio.run(check())) == []


def warned_by(use: Callable[[], object]) -> list[str]:
    """Return what is warned of in a use: a connection that is still open warns when it is deleted."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        use()
        gc.collect()
    return [str(each.message) for each in warned]


def test_connections_that_are_used_while_the_counters_are_closed_are_closed_after_it(postgres_url: str) -> None:
    async def check() -> None:
        counters = PostgresCounters(postgres_url, timeout=600)
        with psycopg.connect(postgres_url) as holding:
            await counters.take(*attempt())
            holding.execute("LOCK TABLE toolgen.cooldowns")
            takes = [asyncio.create_task(counters.take(*attempt(f"u{number}"))) for number in range(20)]
            while len(open_connections(postgres_url)) < 16:
                await asyncio.sleep(0.02)
            await counters.aclose()
        assert await asyncio.gather(*takes) == [0] * 20

    assert warned_by(lambda: asyncio.run(check())) == []
    assert open_connections(postgres_url) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the call that was left
@pytest.mark.parametrize("waits", [False, True])
def test_the_connections_of_a_closed_loop_are_closed(postgres_url: str, *, waits: bool) -> None:
    counters = PostgresCounters(postgres_url)

    async def leave() -> None:
        await counters.take(*attempt())
        if waits:
            holding.execute("LOCK TABLE toolgen.cooldowns")
            tasks.append(asyncio.create_task(counters.take(*attempt())))
            while not waiting_statements(postgres_url):
                await asyncio.sleep(0.02)

    async def use_and_close() -> None:
        await counters.take(*attempt())
        assert len(open_connections(postgres_url)) == 1
        await counters.aclose()

    def in_two_loops() -> None:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(leave())
        loop.close()
        tasks.clear()
        holding.rollback()
        asyncio.run(use_and_close())

    tasks: list[asyncio.Task[float]] = []
    with psycopg.connect(postgres_url) as holding:
        assert warned_by(in_two_loops) == []


def open_connections(url: str) -> list[Any]:
    """Return the connections of toolgen to a database."""
    statement = "SELECT pid FROM pg_stat_activity WHERE application_name = 'toolgen' AND datname = current_database()"
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchall()


def waiting_statements(url: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        return connection.execute(_WAITING).fetchall()


def test_each_event_loop_has_connections_of_its_own(postgres_url: str) -> None:
    counters = PostgresCounters(postgres_url)
    with asyncio.Runner() as one, asyncio.Runner() as other:
        assert [each.run(counters.take(*attempt())) for each in (one, other, one, other)] == [0, 30, 30, 30]
        for each in (one, other):
            each.run(counters.aclose())
        assert one.run(counters.take(*attempt())) == 30
        one.run(counters.aclose())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:5432",
        "https://host",
        "host=localhost",
        f"postgresql://u:{PASSWORD}%zz@host/db",
        f"postgresql://u:a@{PASSWORD}@host/db",
        f"postgresql://u:a/{PASSWORD}@host/db",
        f"postgresql://u:{PASSWORD}@host/db?nothing=1",
    ],
)
def test_an_invalid_url_is_refused_at_once_and_not_quoted(url: str) -> None:
    with pytest.raises(ValueError, match="is not a Postgres URL") as caught:
        PostgresCounters(url)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_an_unreachable_server_is_reported_without_the_password(caplog: pytest.LogCaptureFixture) -> None:
    counters = PostgresCounters(f"postgresql://u:{PASSWORD}@127.0.0.1:1/db")
    with pytest.raises(CallFailed, match=r"the limits of own.tool cannot be checked now"):
        asyncio.run(counters.take(*attempt()))
    assert "limits cannot be checked in Postgres: Connection refused" in caplog.text
    assert PASSWORD not in f"{caplog.text}{counters._database!r}"


def test_without_psycopg_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r'Postgres needs psycopg: pip install "toolgen\[postgres\]"'):
        PostgresCounters("postgresql://localhost")


def test_psycopg_is_imported_on_use() -> None:
    modules = (
        "toolgen.runtime.policy.rate_limits.postgres, toolgen.runtime.policy.grants.postgres, toolgen.record.stores"
    )
    code = f"import sys, {modules}; sys.exit('psycopg' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
