"""The SQLite store: its file, its writer, and failures of both."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.record.sample import KEY, done, ended, one_call, progress, result, started, write
from toolgen.record.chain import ChainError, ChainKey, verify_chain
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.record.writing import Group
from toolgen.runtime.events.records import NewEvent, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def use(path: Path, check: Callable[[SqliteStore], Awaitable[Any]], key: ChainKey | None = None) -> None:
    async def run() -> None:
        store = SqliteStore(path, key=key)
        try:
            await check(store)
        finally:
            await store.close()

    asyncio.run(run())


def test_a_run_continues_after_the_store_is_reopened(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    for _ in range(3):
        use(path, one_call, KEY)
    reader = SqliteReader(path)
    assert [event.sequence for event in reader.read("r1").events] == list(range(6))
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


def test_two_stores_can_write_the_same_run_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(first: SqliteStore) -> None:
        second = SqliteStore(path, key=KEY)
        await asyncio.gather(*(one_call(store, f"c{n}") for n in range(20) for store in (first, second)))
        await second.close()

    use(path, check, KEY)
    reader = SqliteReader(path)
    assert [event.sequence for event in reader.read("r1").events] == list(range(80))
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


def test_a_forked_process_is_refused_and_exits(tmp_path: Path) -> None:
    """In a separate process whose only other thread is the writer: the child would wait for it forever."""
    program = f"""
import asyncio, os, sys
from tests.unit.record.sample import started
from toolgen.runtime.events.records import StoreError
from toolgen.record.sqlite import SqliteStore

store = SqliteStore({str(tmp_path / "store.db")!r})
if os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
try:
    store.append(started("c1"))
except StoreError as error:
    print(error)
asyncio.run(store.close())
"""
    # Since 3.12 Python itself warns of such a process.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    refusal = "the store was opened before this process was forked; open a store in the forked process\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, refusal, "")


def test_concurrent_writes_are_committed_together(tmp_path: Path) -> None:
    async def check(store: SqliteStore) -> None:
        statements: list[str] = []
        store._opened().set_trace_callback(statements.append)
        await asyncio.gather(*(one_call(store, f"c{n}") for n in range(500)))
        assert statements.count("COMMIT") < 50

    use(tmp_path / "store.db", check)


def test_threads_and_loops_can_share_one_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)

    def in_a_loop(name: str) -> None:
        asyncio.run(one_call(store, name))

    def in_none(name: str) -> None:
        store.append(progress(name))

    threads = [threading.Thread(target=work, args=(f"c{n}",)) for n in range(8) for work in (in_a_loop, in_none)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(store.close())
    assert len(SqliteReader(path).read("r1").events) == 24


def test_cancelling_a_wait_does_not_cancel_the_write(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        waiting = [asyncio.ensure_future(done(store.append(started(f"c{n}")))) for n in range(20)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert ends[1::2] == [None] * 10
        await done(store.finish(ended(), result()))

    use(path, check)
    assert len(SqliteReader(path).read("r1").events) == 21


def test_a_non_json_value_is_refused_at_once_and_others_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        kept = store.append(started())
        for bad in (progress(value=float("nan")), progress(value=object()), progress(run="\ud800")):
            with pytest.raises((ValueError, TypeError)):
                store.append(bad)
        with pytest.raises(ValueError, match="JSON"):
            store.finish(ended(), result(value=float("inf")))
        await kept

    use(path, check)
    assert len(SqliteReader(path).read("r1").events) == 1


def test_a_failed_write_is_reported_to_the_caller_and_the_operator(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await one_call(store)
        store._opened().execute("PRAGMA query_only = 1")
        lost = [store.append(progress(n=n)) for n in range(3)]
        for each in lost:
            with pytest.raises(StoreError, match="the store cannot be written: attempt to write a readonly database"):
                await each
        assert "writes were lost" in caplog.text
        store._opened().execute("PRAGMA query_only = 0")
        await write(store, progress(n=4))

    use(path, check, KEY)
    reader = SqliteReader(path)
    assert [event.data.get("n") for event in reader.read("r1").events] == [None, None, 4]
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


def test_a_group_that_fails_halfway_is_rolled_back_and_the_next_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    fails = (
        "CREATE TEMP TRIGGER fails BEFORE INSERT ON events WHEN new.sequence = 3 BEGIN SELECT RAISE(FAIL, 'full'); END"
    )

    async def check(store: SqliteStore) -> None:
        await one_call(store)
        store._opened().execute(fails)
        lost = [store.append(progress(n=n)) for n in range(2)]
        for each in lost:
            with pytest.raises(StoreError, match="the store cannot be written: full"):
                await each
        store._opened().execute("DROP TRIGGER fails")
        await write(store, progress(n=4))

    use(path, check, KEY)
    reader = SqliteReader(path)
    assert [event.data.get("n") for event in reader.read("r1").events] == [None, None, 4]
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


@pytest.mark.parametrize(
    ("first", "then", "why"), [(KEY, None, "started with a key"), (None, KEY, "started without a key")]
)
def test_a_run_stays_with_or_without_a_chain(
    tmp_path: Path, first: ChainKey | None, then: ChainKey | None, why: str
) -> None:
    path = tmp_path / "store.db"
    use(path, one_call, first)

    async def check(store: SqliteStore) -> None:
        fine = store.append(started(run="another"))
        with pytest.raises(StoreError, match=why):
            await store.append(started())
        await fine

    use(path, check, then)
    assert [summary.run_id for summary in SqliteReader(path).runs()] == ["r1", "another"]


def test_a_store_without_a_key_has_no_heads(tmp_path: Path) -> None:
    async def check(store: SqliteStore) -> None:
        await one_call(store)
        with pytest.raises(ChainError, match="written without a key"):
            await store.head("r1")

    use(tmp_path / "store.db", check)


def test_the_file_is_private_to_its_owner_and_contains_no_key(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    use(path, one_call, KEY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert all(b"a key that is only known to tests" not in file.read_bytes() for file in tmp_path.iterdir())
    assert "tests" not in repr(KEY)


def test_files_that_are_not_stores(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but longer than the header of one " * 10)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE events (x)")
    newer = tmp_path / "newer.db"
    use(newer, one_call)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 9")
    empty = tmp_path / "empty.db"
    empty.touch()

    for path, why in [
        (text, "file is not a database"),
        (other, "the file is not a store of toolgen"),
        (newer, "the store has version 9, and this toolgen reads version 1"),
        (tmp_path / "missing" / "store.db", "cannot be opened"),
    ]:
        with pytest.raises(StoreError, match=why) as caught:
            SqliteStore(path)
        assert str(tmp_path) not in str(caught.value)
        with pytest.raises(StoreError):
            SqliteReader(path).runs()
    with pytest.raises(StoreError, match="the store is empty"):
        SqliteReader(empty).runs()
    assert text.read_text().startswith("not a database")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
        "CREATE VIEW v AS SELECT * FROM events",
        "CREATE TABLE more (x)",
        "DROP TABLE runs",
        "ALTER TABLE events ADD COLUMN more",
    ],
)
def test_a_file_with_other_tables_is_not_written_to(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "store.db"
    use(path, one_call)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    with pytest.raises(StoreError, match="the store has other tables, indexes or triggers than toolgen creates"):
        SqliteStore(path)


def test_a_path_is_used_literally(tmp_path: Path) -> None:
    path = tmp_path / "a store?mode=memory#50%.db"
    use(path, one_call)
    assert path.exists()
    assert len(SqliteReader(path).read("r1").events) == 2


def test_a_damaged_record_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    use(path, one_call)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE events SET body = 7 WHERE sequence = 0")
        connection.commit()
    with pytest.raises(StoreError, match="the record of the run is damaged; verify it"):
        SqliteReader(path).read("r1")
    with pytest.raises(StoreError, match="the record of the run is damaged; verify it"):
        SqliteReader(path).page("r1", -1, 100)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["run_id", "began", "last", "events", "completed", "failed", "denied"]),
    st.binary().map(lambda data: (data, "TEXT"))
    | st.tuples(st.binary() | st.text() | st.integers(0, 9), st.just("BLOB")),
)
def test_a_damaged_row_in_the_list_of_runs_hides_no_other(
    caplog: pytest.LogCaptureFixture, column: str, odd: tuple[Any, str]
) -> None:
    caplog.clear()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        use(path, one_call)
        with closing(sqlite3.connect(path)) as connection:
            columns = "began, last, events, completed, failed, denied"
            connection.execute(f"INSERT INTO runs (run_id, {columns}) SELECT 'r2', {columns} FROM runs")  # noqa: S608  # in a test
            damage = f"UPDATE runs SET {column} = CAST(? AS {odd[1]}) WHERE run_id = 'r1'"  # noqa: S608  # in a test
            connection.execute(damage, (odd[0],))
            connection.commit()
        runs = SqliteReader(path).runs()
        page = SqliteReader(path).latest_runs(10)
        assert "r2" in [each.run_id for each in runs]
        assert {each.run_id for each in page.runs} == {each.run_id for each in runs}
        assert page.found == 2
        assert ("in the list of runs cannot be read; verify the run" in caplog.text) is (len(runs) == 1)
        reader = SqliteReader(path)
        assert len(reader.read("r1").events) == 2
        reader.chain("r1")


@pytest.mark.long
def test_ten_thousand_concurrent_calls_are_each_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await asyncio.gather(
            *(
                done(store.finish(NewEvent("tool_completed", "r1", "t", f"c{n}"), result(f"c{n}")))
                for n in range(10_000)
            )
        )

    use(path, check, KEY)
    record = SqliteReader(path).read("r1")
    assert sorted(result.tool_call_id for result in record.results) == sorted(f"c{n}" for n in range(10_000))
    assert len(record.events) == 10_000


def test_a_loop_that_closes_while_it_is_woken_keeps_no_other_one_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait_for(group: Group) -> asyncio.Future[None] | None:
        return group.waiting()

    group, closing, other = Group(), asyncio.new_event_loop(), asyncio.new_event_loop()
    closing.run_until_complete(wait_for(group))
    closing.close()
    monkeypatch.setattr(closing, "is_closed", lambda: False)  # as just before another thread has closed it
    waiting = other.run_until_complete(wait_for(group))
    assert waiting is not None
    group.settle()
    other.run_until_complete(waiting)
    other.close()
    monkeypatch.undo()
