"""Changes of the file of an open store: the next write fails, and no call runs unrecorded."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.record.sample import KEY, one_call, progress, record, started, write
from tests.unit.runtime.tools import call, catalog_of, code_of, runtime_of
from toolgen.record import writing
from toolgen.record.chain import ChainKey, verify_chain
from toolgen.record.sqlite import STORE_FILE, SqliteReader, SqliteStore
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

OTHER_KEY = ChainKey(b"another key that is long enough, or so")


def used(path: Path, check: Callable[[SqliteStore], Awaitable[Any]], **settings: Any) -> None:
    async def run() -> None:
        store = SqliteStore(path, **settings)
        try:
            await check(store)
        finally:
            await store.close()

    asyncio.run(run())


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement).rowcount
        connection.commit()


def deleted(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    STORE_FILE.open_for_writing(path.with_name("other.db")).close()
    path.with_name("other.db").replace(path)


def copied_over(path: Path) -> None:
    """Copy over it, like a restored backup or a log rotation."""
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


def moved(path: Path) -> None:
    path.rename(path.with_name("calls.db.1"))


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def cancelled(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def without_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def log_emptied(path: Path) -> None:
    os.truncate(path.with_name(f"{path.name}-wal"), 0)


LOSSES = [deleted, replaced, copied_over, moved, emptied, cancelled, without_log, log_emptied]


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("permission", ["write", "readonly"])
def test_a_lost_file_stops_calls(tmp_path: Path, lose: Callable[[Path], None], permission: str) -> None:
    path = tmp_path / "store.db"
    ran: list[bool] = []

    async def check(store: SqliteStore) -> None:
        runtime = runtime_of(catalog_of(lambda _args: ran.append(True), permission=permission), store=store)
        await write(store, progress(text="x" * 50_000))
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")  # so that the file has content to lose
        assert code_of(await call(runtime)) == "ok"
        assert ran == [True]
        lose(path)
        assert code_of(await call(runtime)) == "not_recorded"
        assert code_of(await call(runtime)) == "not_recorded"
        # A read that began before the detection has run and its result was withheld; nothing ran after it.
        assert ran == [True] * (1 if permission == "write" else 2)

    used(path, check)


def test_a_restored_file_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await one_call(store)
        moved(path)
        with pytest.raises(StoreError, match="its file was deleted, moved or replaced"):
            await one_call(store)
        path.with_name("calls.db.1").rename(path)
        await one_call(store)

    used(path, check, key=KEY)
    reader = SqliteReader(path)
    assert len(reader.read("r1").events) == 4
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


@pytest.mark.parametrize("statement", ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"])
def test_a_legitimately_shrunk_file_is_still_used(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await write(store, progress(text="x" * 50_000, run="old"))
        await one_call(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")
        await one_call(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("DELETE FROM events WHERE run_id = 'old'")
            other.execute(statement)
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await one_call(store)

    used(path, check)
    assert len(SqliteReader(path).read("r1").events) == 6


CUT = "the end of the record of the run was truncated or edited while the run continued"


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM events WHERE run_id = 'r1' AND sequence > 1", CUT),
        ("DELETE FROM events WHERE run_id = 'r1'", "the record of the run was removed while the run continued"),
    ],
)
def test_a_truncated_end_is_detected_while_the_run_continues(
    tmp_path: Path, statement: str, why: str, key: ChainKey | None
) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await one_call(store)
        await one_call(store)
        change(path, statement)
        fine = store.append(started(run="r2"))
        with pytest.raises(StoreError, match=why):
            await store.append(started())
        await fine

    used(path, check, key=key)


def test_an_end_truncated_and_rewritten_by_another_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def check(store: SqliteStore) -> None:
        await one_call(store)
        change(path, "DELETE FROM events WHERE sequence > 0")
        other = SqliteStore(path, key=KEY)  # it has not detected anything
        await one_call(other, "c7")
        await other.close()
        with pytest.raises(StoreError, match=CUT):
            await store.append(started())

    used(path, check, key=KEY)


def test_the_number_of_remembered_run_ends_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_REMEMBERED", 3)

    async def check(store: SqliteStore) -> None:
        for number in range(9):
            await one_call(store, run=f"r{number}")
            await one_call(store, run="r0")
        assert list(store._ends._known) == ["r7", "r8", "r0"]

    used(tmp_path / "store.db", check, key=KEY)


def test_a_run_started_with_one_key_does_not_continue_with_another(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    record(path)

    async def check(store: SqliteStore) -> None:
        fine = store.append(started(run="another"))
        with pytest.raises(
            StoreError, match="the run was started with another key, or the end of its record was edited"
        ):
            await store.append(started())
        await fine

    used(path, check, key=OTHER_KEY)
    reader = SqliteReader(path)
    assert len(reader.read("r1").events) == 6
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []


@pytest.mark.parametrize(
    "sequence", ["1.5", "'x'", "x'31'", "-1", str(2**63 - 1), "99"], ids=["real", "text", "blob", "-1", "huge", "gap"]
)
def test_a_run_does_not_continue_from_a_forged_row_and_others_are_unaffected(tmp_path: Path, sequence: str) -> None:
    path = tmp_path / "store.db"
    record(path, 1)
    if sequence == "-1":
        change(path, "DELETE FROM events")
        forged = f"INSERT INTO events VALUES ('r1', {sequence}, '{{}}', zeroblob(32))"
    else:
        forged = f"INSERT INTO events SELECT run_id, {sequence}, body, digest FROM events WHERE sequence = 1"
    change(path, forged)

    async def check(store: SqliteStore) -> None:
        fine = store.append(started(run="another"))
        with pytest.raises(StoreError, match=r"tampered with|the end of its record was edited"):
            await store.append(started())
        await fine

    used(path, check, key=KEY)


FULL = """
import asyncio, json, resource, signal, sys
from tests.unit.record.sample import progress, write
from tests.unit.runtime.tools import add, call, catalog_of, code_of, runtime_of
from toolgen.runtime.events.records import StoreError
from toolgen.record.sqlite import SqliteStore

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ran = []

async def main():
    store = SqliteStore(sys.argv[1])
    catalog = catalog_of(lambda args: ran.append("write") or "x", permission="write")
    add(catalog, lambda args: ran.append("read") or "y", "own.read", permission="readonly")
    runtime = runtime_of(catalog, store=store)
    print(json.dumps([code_of(await call(runtime, name)) for name in sys.argv[2:]] + ran))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    for size in (20_000, 2_000, 0):
        try:
            while True:
                await write(store, progress(text="x" * size))
        except StoreError:
            pass
    ran.clear()
    print(json.dumps([code_of(await call(runtime, name)) for name in sys.argv[2:]] + ran))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ran.clear()
    print(json.dumps([code_of(await call(runtime, name)) for name in sys.argv[2:]] + ran))
    await store.close()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("names", "when_full"),
    [
        (["own.tool", "own.read"], '["not_recorded", "not_recorded"]'),
        # The first call on the full disk has run, if it reads, and its result was withheld; nothing ran after it.
        (["own.read", "own.read"], '["not_recorded", "not_recorded", "read"]'),
    ],
)
def test_on_a_full_disk_no_call_runs_unrecorded(tmp_path: Path, names: list[str], when_full: str) -> None:
    """In a separate process with a file size limit that its writes really reach."""
    program = [sys.executable, "-c", FULL, str(tmp_path / "store.db"), *names]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    before, full, later = done.stdout.splitlines()
    assert before == later, "once there is space all calls continue"
    assert before.startswith('["ok", "ok", ')
    assert full == when_full
