"""A server that restarts, is gone, is full or read-only, and connections that are lost at any moment."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.sql import SQL

from tests.programs.disks import small_disk
from tests.programs.postgres import standing_still
from tests.programs.postgres_proxy import proxy
from tests.unit.record.postgres.checking import change, intact_calls, use
from tests.unit.record.sample import KEY, one_call, progress, started, write
from tests.unit.runtime.tools import call, catalog_of, code_of, must_not_run, runtime_of
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from tests.programs.postgres import PostgresServer
    from toolgen.record.postgres import PostgresStore

pytestmark = pytest.mark.slow

WHOLE = ["tool_started", "tool_completed"]


@pytest.mark.parametrize("parts", range(7))
def test_a_connection_lost_at_any_moment_loses_nothing_and_writes_nothing_twice(
    shared_postgres: PostgresServer, parts: int
) -> None:
    url = shared_postgres.new_database()
    written = 0
    with proxy(shared_postgres) as passing:

        async def check(store: PostgresStore) -> None:
            nonlocal written
            await one_call(store, "before")
            passing.parts = parts
            while passing.parts is not None:  # how many parts three events are is not always the same
                await write(store, *(progress("cut", n=written + n) for n in range(3)))
                written += 3
            await one_call(store, "after")

        use(url.replace(str(shared_postgres.folder), str(passing.folder)), check, key=KEY)
    calls = intact_calls(url)
    assert calls == {"before": WHOLE, "cut": ["tool_progress"] * written, "after": WHOLE}


@pytest.mark.parametrize("immediate", [True, False])
@pytest.mark.variants(1)
def test_a_restart_of_the_server_loses_nothing_and_fails_no_write(
    postgres_server: PostgresServer, immediate: bool
) -> None:
    url = postgres_server.new_database()
    ended: list[str] = []

    async def check(store: PostgresStore) -> None:
        async def calls(name: str) -> None:
            for number in range(30):
                await one_call(store, f"{name}.{number}")
                ended.append(f"{name}.{number}")
                await asyncio.sleep(0.01)

        calling = [asyncio.create_task(calls(name)) for name in "abc"]
        while len(ended) < 10:
            await asyncio.sleep(0.005)
        await asyncio.to_thread(postgres_server.restart, immediate=immediate)
        await asyncio.gather(*calling)

    use(url, check, key=KEY, timeout=60)
    assert intact_calls(url) == dict.fromkeys(ended, WHOLE)
    assert len(ended) == 90


def test_without_a_server_writes_fail_and_later_ones_succeed(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres_server.new_database()

    async def check(store: PostgresStore) -> None:
        await one_call(store)
        postgres_server.stop(immediate=True)
        with pytest.raises(StoreError, match="the store cannot be written: ") as caught:
            await write(store, progress(n=1))
        with pytest.raises(StoreError, match="the store cannot be read: "):
            await store.read("r1")
        assert str(postgres_server.folder) not in f"{caught.value}{caplog.text}"
        assert "1 writes were lost" in caplog.text
        postgres_server.start()
        await one_call(store, "c2")

    use(url, check, key=KEY, timeout=0.5)
    assert intact_calls(url) == {"c1": WHOLE, "c2": WHOLE}


def test_a_server_that_stands_still_fails_writes_when_their_time_is_up(postgres_server: PostgresServer) -> None:
    """As with a stalled disk: its kernel acknowledges what it is sent, and nothing answers."""
    url = postgres_server.new_database()

    async def check(store: PostgresStore) -> None:
        await one_call(store)
        with standing_still(url), pytest.raises(StoreError, match="the store cannot be written: "):
            await write(store, progress(n=1))
        await one_call(store, "c2")

    use(url, check, key=KEY, timeout=1)
    calls = intact_calls(url)
    assert calls["c1"] == calls["c2"] == WHOLE


def test_who_follows_a_run_can_stop_while_the_server_stands_still(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()

    async def check(store: PostgresStore) -> None:
        await one_call(store)
        following = store.follow("r1")
        for _ in WHOLE:
            await anext(following)
        with standing_still(url):
            waiting = asyncio.ensure_future(anext(following))
            await asyncio.sleep(0.1)  # it asks for what is new
            waiting.cancel()
            await asyncio.wait([waiting], timeout=4.5)
            assert waiting.cancelled()

    use(url, check, key=KEY, poll=0.01)


def test_a_read_only_server_refuses_writes_until_it_is_writable_again(postgres_server: PostgresServer) -> None:
    """As a standby does, and the former primary after a failover."""

    async def check(store: PostgresStore) -> None:
        await one_call(store)
        change(postgres_server.url(), "ALTER SYSTEM SET default_transaction_read_only = on")
        postgres_server.restart()
        with pytest.raises(StoreError, match="written: cannot execute INSERT in a read-only transaction"):
            await write(store, progress(n=1))
        runtime = runtime_of(catalog_of(must_not_run, permission="write"), store=store)
        assert code_of(await call(runtime)) == "not_recorded"
        change(postgres_server.url(), "ALTER SYSTEM RESET default_transaction_read_only")
        postgres_server.restart()
        await one_call(store, "c2")

    use(postgres_server.url(), check, key=KEY)
    assert intact_calls(postgres_server.url()) == {"c1": WHOLE, "c2": WHOLE}


def test_on_a_full_disk_nothing_runs_unrecorded(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    folder = postgres_server.folder / "small"
    folder.mkdir()

    async def check(store: PostgresStore) -> None:
        await one_call(store)
        with small_disk(folder, 256 << 10):
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(SQL("CREATE TABLESPACE small LOCATION {}").format(str(folder)))
                connection.execute("ALTER TABLE toolgen.results SET TABLESPACE small")
                connection.execute("ALTER TABLE toolgen.events SET TABLESPACE small")
            for size in (2000, 1):  # until not even a small event fits
                large = [started(args={"text": os.urandom(size).hex()}) for _ in range(400)]
                with pytest.raises(StoreError, match=r"the store cannot be written: could not .*No space left on"):
                    await write(store, *large)
            runtime = runtime_of(catalog_of(must_not_run, permission="write"), store=store)
            assert code_of(await call(runtime)) == "not_recorded"
            change(
                url,
                "ALTER TABLE toolgen.events SET TABLESPACE pg_default",
                "ALTER TABLE toolgen.results SET TABLESPACE pg_default",
                "DROP TABLESPACE small",
            )
        await one_call(store, "later")

    use(url, check, key=KEY)
    assert intact_calls(url)["later"] == WHOLE
