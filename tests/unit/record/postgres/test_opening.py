"""Opening a Postgres store: tables, versions, roles, targets, and errors without credentials; and following a run."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.project.checkout import ROOT
from tests.unit.record.postgres.checking import change, intact_calls, use
from tests.unit.record.sample import KEY, one_call, progress, started, write
from toolgen.record import postgres
from toolgen.record.postgres import PostgresReader, PostgresStore
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.record.stores import name_of_target, open_reader, open_store
from toolgen.runtime.base.postgres import PostgresTables
from toolgen.runtime.events.records import NewEvent, RunNotFound, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from toolgen.runtime.events.records import Event

PASSWORD = "hunter2"


def test_stores_that_are_opened_at_the_same_time_create_the_tables_once(postgres_url: str) -> None:
    failed: list[BaseException] = []

    def write_one(name: str) -> None:
        try:
            use(postgres_url, lambda store: one_call(store, name), key=KEY)
        except BaseException as error:  # noqa: BLE001  # of a thread
            failed.append(error)

    threads = [Thread(target=write_one, args=(f"c{number}",)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(intact_calls(postgres_url)) == 10


def test_a_database_is_brought_to_the_current_version_once(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(postgres_url, one_call)
    old = postgres.STORE_TABLES
    newer = PostgresTables(
        name="store", migrations=(*old.migrations, "CREATE TABLE toolgen.second (x int)"), error=StoreError
    )
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        with pytest.raises(StoreError, match="has version 1, and this toolgen needs version 2: write to it once"):
            newer.is_created(connection)
        for _ in range(2):
            newer.create(connection)
        assert newer.is_created(connection)
        assert connection.execute("SELECT count(*) FROM toolgen.second").fetchone() == (0,)
        with pytest.raises(StoreError, match="the store has version 2, and this toolgen needs version 1"):
            old.create(connection)
    with pytest.raises(StoreError, match="the store has version 2, and this toolgen needs version 1"):
        PostgresStore(postgres_url)
    with pytest.raises(StoreError, match="the store has version 2, and this toolgen needs version 1"):
        PostgresReader(postgres_url).runs()


def test_a_store_that_is_brought_to_a_newer_version_is_not_written_to_by_an_open_one(postgres_url: str) -> None:
    async def check(store: PostgresStore) -> None:
        await one_call(store)
        change(postgres_url, "UPDATE toolgen.versions SET version = 2 WHERE kind = 'store'")
        with pytest.raises(StoreError, match="the store has version 2, and this toolgen needs version 1"):
            await one_call(store, "c2")
        change(postgres_url, "UPDATE toolgen.versions SET version = 1 WHERE kind = 'store'")
        await one_call(store, "c3")

    use(postgres_url, check, key=KEY)
    assert [*intact_calls(postgres_url)] == ["c1", "c3"]


@pytest.mark.parametrize("run_id", ["r\ud800", "a\0b", "x" * 1_001])
def test_an_id_that_no_run_can_have_is_not_found(postgres_url: str, run_id: str) -> None:
    use(postgres_url, one_call)
    with closing(PostgresReader(postgres_url)) as reader:
        for read in (reader.read, reader.head, reader.chain, lambda each: reader.page(each, -1, 10)):
            with pytest.raises(RunNotFound):
                read(run_id)


def test_a_failed_migration_leaves_nothing(postgres_url: str) -> None:
    broken = PostgresTables(name="x", migrations=("CREATE TABLE toolgen.x (x int)", "SELECT 1 / 0"), error=StoreError)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            broken.create(connection)
        assert connection.execute("SELECT to_regclass('toolgen.x'), to_regclass('toolgen.versions')").fetchone() == (
            None,
            None,
        )


def test_a_role_that_may_only_write_rows_can_write_and_one_that_may_only_read_can_read(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.url()
    use(url, one_call, key=KEY)
    change(
        url,
        "CREATE ROLE writer LOGIN",
        "CREATE ROLE reader LOGIN",
        "GRANT USAGE ON SCHEMA toolgen TO writer, reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA toolgen TO writer, reader",
        "GRANT INSERT ON toolgen.events, toolgen.results, toolgen.runs TO writer",
        "GRANT UPDATE ON toolgen.runs TO writer",
    )
    use(url.replace("postgres@", "writer@"), lambda store: one_call(store, "c2"), key=KEY)
    reading = PostgresReader(url.replace("postgres@", "reader@"))
    assert len(reading.read("r1").events) == 4
    reading.close()

    async def check(store: PostgresStore) -> None:
        with pytest.raises(StoreError, match="the store cannot be written: permission denied for table events"):
            await write(store, progress())

    use(url.replace("postgres@", "reader@"), check, key=KEY)


def test_an_empty_database_has_no_store_to_read(postgres_url: str) -> None:
    reader = PostgresReader(postgres_url)
    assert not reader.is_begun()
    with pytest.raises(StoreError, match="the store is empty"):
        reader.runs()
    use(postgres_url, one_call)
    assert reader.is_begun()
    assert len(reader.runs()) == 1
    reader.close()


def test_a_target_is_a_url_or_a_path(tmp_path: Path, postgres_url: str) -> None:
    opened = [open_store(postgres_url), open_store(tmp_path / "store.db"), open_store(str(tmp_path / "store.db"))]
    assert [type(store) for store in opened] == [PostgresStore, SqliteStore, SqliteStore]
    for store in opened:
        asyncio.run(store.close())
    assert [type(open_reader(target)) for target in (postgres_url, tmp_path)] == [PostgresReader, SqliteReader]
    assert name_of_target(f"postgresql://me:{PASSWORD}@host:5/db?sslmode=require") == "postgresql://host:5/db"
    assert name_of_target("folder/calls.db") == "calls.db"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (f"postgresql://u:{PASSWORD}@127.0.0.1:1/db", "the store cannot be opened: Connection refused"),
        (f"postgresql://u:p@{PASSWORD}@host/db", "the store cannot be opened: this is not a Postgres URL, such as"),
        (f"postgresql://u:{PASSWORD}%zz@host/db", "the store cannot be opened: this is not a Postgres URL, such as"),
        (f"postgresql://u:{PASSWORD}@/db?host=/nowhere", "the store cannot be opened: No such file or directory"),
    ],
)
def test_no_message_has_credentials(url: str, why: str) -> None:
    with pytest.raises(StoreError, match=why) as caught:
        PostgresStore(url)
    shown: BaseException | None = caught.value
    while shown is not None:
        assert PASSWORD not in f"{shown}{shown!r}"
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


@pytest.mark.parametrize("run_id", ["a\0b", "x" * 1001, "é" * 501])
def test_a_run_id_that_postgres_cannot_store_fails_its_own_write_only(postgres_url: str, run_id: str) -> None:
    async def check(store: PostgresStore) -> None:
        fine = store.append(started())
        with pytest.raises(ValueError, match="a run id in Postgres has at most 1,000 bytes, and no NUL"):
            store.append(NewEvent("tool_progress", run_id))
        await fine
        await write(store, NewEvent("tool_progress", "x" * 1000))

    use(postgres_url, check)


def test_a_forked_process_is_refused_and_exits(postgres_url: str) -> None:
    program = f"""
import asyncio, os, sys
from tests.unit.record.sample import started
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.record.postgres import PostgresStore

store = PostgresStore({postgres_url!r})
if os.fork():
    status = os.waitstatus_to_exitcode(os.wait()[1])
    store.append(started("c2"))  # the child has not closed the connection of its parent
    asyncio.run(store.close())
    sys.exit(status)
try:
    store.append(started("c1"))
except StoreError as error:
    print(error)
asyncio.run(store.close())
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    refusal = "the store was opened before this process was forked; open a store in the forked process\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, refusal, "")
    reader = PostgresReader(postgres_url)
    assert [event.tool_call_id for event in reader.read("r1").events] == ["c2"]
    reader.close()


async def followed(store: PostgresStore, events: int) -> list[Event]:
    seen: list[Event] = []
    async for event in store.follow("r1"):
        seen.append(event)
        if len(seen) == events:
            break
    return seen


def test_a_follower_is_notified_by_another_writer(postgres_url: str) -> None:
    async def check(store: PostgresStore) -> None:
        following = asyncio.create_task(followed(store, 2))
        await write(store, started(run="another"))
        await asyncio.sleep(0.2)
        writer = PostgresStore(postgres_url)
        for number in range(2):
            await write(writer, progress(n=number))
        seen = await asyncio.wait_for(following, 60)  # without notifications, it would look every hour
        assert [event.data["n"] for event in seen] == [0, 1]
        await writer.close()

    use(postgres_url, check, poll=3600)


def test_a_follower_polls_for_events_without_a_notification_and_survives_a_restart(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.url()

    async def check(store: PostgresStore) -> None:
        following = asyncio.create_task(followed(store, 3))
        await write(store, progress(n=0))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(postgres_server.restart)
        await write(store, progress(n=1))
        await asyncio.to_thread(  # as of a writer that was killed after its commit
            change,
            url,
            "INSERT INTO toolgen.events SELECT run_id, 2, body, digest FROM toolgen.events WHERE sequence = 1",
        )
        assert [event.data["n"] for event in await following] == [0, 1, 1]

    use(url, check, poll=0.05)


def test_following_without_a_server_ends_with_an_error(postgres_server: PostgresServer) -> None:
    async def check(store: PostgresStore) -> None:
        following: Any = asyncio.create_task(followed(store, 1))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(postgres_server.stop, immediate=True)
        with pytest.raises(StoreError, match="the store cannot be read: "):
            await following

    use(postgres_server.url(), check, poll=0.05, timeout=0.5)


def test_reads_that_wait_while_one_cannot_connect_share_its_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_TIMEOUT", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the system accepts for it, and nothing answers
        reader = PostgresReader(f"postgresql://ann@127.0.0.1:{silent.getsockname()[1]}/runs")
        with ThreadPoolExecutor(20) as pool:
            reads = [pool.submit(reader.runs) for _ in range(20)]
            failures = {repr(read.exception()) for read in reads}
        silent.setblocking(False)
        connections = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                connections += 1
    assert all("the store cannot be read: " in failure for failure in failures)
    assert 1 <= connections < 10  # those that come when one has failed try it again
    with pytest.raises(StoreError, match=r"the store cannot be read: .*refused"):
        reader.runs()
