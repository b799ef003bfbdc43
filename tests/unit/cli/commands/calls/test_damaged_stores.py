"""Store files with damaged bytes: opening and reading them gives a record or an error, never a traceback."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.record.sample import KEY, denied, done, ended, progress, record, result, started
from toolgen.cli import front
from toolgen.record.calls import calls_of
from toolgen.record.chain import ChainError, ChainHead, verify_chain
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime.events.records import RunNotFound, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALUES: Final = (
    *(None, 0, -1, 7, 2**62, 2**63 - 1, -(2**63), 0.5, -0.5, 1e300, float("inf"), "", "x", "r1", "\n", "7"),
    *(b"", b"\x00", b"\xff\xfe", b"{}", b"[]", b"null", b"7", b'"x"', b"[" * 5_000, b"1" * 5_000),
    b'{"at":7,"data":{},"kind":"x","tool":"x","tool_call_id":"x"}',
    b'{"at":"2026-03-01","data":{},"kind":"x","tool":"x","tool_call_id":"x"}',
    b'{"at":"0001-01-01T00:00:00+23:59","data":{},"kind":"x","tool":"x","tool_call_id":"x"}',
    b'{"at":"2026-03-01T00:00:00Z","data":[["a",1]],"kind":"x","tool":"x","tool_call_id":"x"}',
    b'{"at":"2026-03-01T00:00:00Z","data":{"stages":[{"us":1e999},{"us":NaN},7]},"kind":7,"tool":{},"tool_call_id":"c0"}',
    b'{"at":"2026-03-01T00:00:00Z","data":{"a":'
    + b"[" * 500
    + b"]" * 500
    + b'},"kind":"x","tool":"x","tool_call_id":"x"}',
    b'{"content":{"value":' + b"[" * 900 + b"]" * 900 + b'},"success":true,"tool":"x","tool_call_id":"c0"}',
    b'{"content":{"value":NaN},"success":true,"tool":"x","tool_call_id":"c0"}',
    b'{"content":{"error":{"code":"x","message":"m"}},"success":false,"tool":"x","tool_call_id":"c0"}',
    b'{"content":{"error":7},"success":0,"tool":7,"tool_call_id":"c0"}',
    b'{"content":{"error":{}},"success":0,"tool":7,"tool_call_id":"c0"}',
    b'{"content":{"error":{"code":7,"message":[]}},"success":0,"tool":7,"tool_call_id":"c0"}',
    b'{"content":[],"success":0,"tool":7,"tool_call_id":"c0"}',
)
COLUMNS: Final = {
    "events": ("run_id", "sequence", "body", "digest"),
    "results": ("run_id", "sequence", "body"),
    "runs": ("run_id", "began", "last", "events", "completed", "failed", "denied"),
}
SCHEMA: Final = (
    "DROP TABLE {}", "ALTER TABLE {} RENAME TO other", "ALTER TABLE {} ADD COLUMN more", "DELETE FROM {}",
    "CREATE TRIGGER t AFTER INSERT ON {} BEGIN DELETE FROM events; END", "CREATE INDEX i ON {} (run_id)",
)  # fmt: skip


ENDLESS: Final = """
CREATE VIEW {} AS WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t)
SELECT 'r1' run_id, n sequence, '{{}}' body, NULL digest, '2026-05-01T00:00:00Z' began, '2026-05-01T00:00:00Z' last,
  1 events, 0 completed, 0 failed, 0 denied FROM t
"""
COMPUTED: Final = "CREATE TABLE {} (run_id, sequence, body AS (zeroblob(1000000000)), digest, began, last, events)"


def written(path: Path) -> None:
    """Write a store of two runs, one of which has failed calls and progress."""
    record(path, 2)

    async def more() -> None:
        store = SqliteStore(path, key=KEY)
        await done(store.append(started("c0", "r2")))
        await done(store.append(progress("c0", "r2", rows=[1, 2])))
        await done(store.finish(ended("tool_failed", "c0", "r2", code="x"), denied("c0")))
        await done(store.finish(ended(call="c1", run="r2"), result("c1")))
        await store.close()

    asyncio.run(more())


def flip_bytes(random_: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(random_.choice([1, 1, 2, 8, 64])):
        data[random_.randrange(len(data))] = random_.randrange(256)
    path.write_bytes(data)


def overwrite(random_: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = random_.randrange(len(data))
    data[at : at + random_.randrange(1, 5_000)] = random_.randbytes(random_.choice([0, 1, 500, 4096]))
    path.write_bytes(data)


def cut(random_: random.Random, path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: random_.randrange(len(data))])


def forge(random_: random.Random, path: Path) -> None:
    """Put any value in any column of any row, which SQLite allows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for _ in range(random_.randint(1, 4)):
            table = random_.choice(list(COLUMNS))
            column = random_.choice(COLUMNS[table])
            where = f"run_id IN (SELECT run_id FROM {table} ORDER BY random() LIMIT 1)"
            with suppress(sqlite3.IntegrityError):
                statement = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}"
                connection.execute(statement, (random_.choice(VALUES),))


def forge_bytes(random_: random.Random, path: Path) -> None:
    """Damage the text of rows without damaging the file, so that reading the JSON finds it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        table = random_.choice(["events", "results"])
        rows = connection.execute(f"SELECT run_id, sequence, body FROM {table}").fetchall()
        for run_id, sequence, body in random_.sample(rows, random_.randint(min(1, len(rows)), len(rows))):
            edited = bytearray(body if isinstance(body, bytes) and body else b"{}")
            for _ in range(random_.randint(1, 3)):
                edited[random_.randrange(len(edited))] = random_.choice(b'09"{}[],:.eE+-x\\\x00\xff ')
            where = "WHERE run_id = ? AND sequence = ?"
            connection.execute(f"UPDATE {table} SET body = ? {where}", (bytes(edited), run_id, sequence))


def change_schema(random_: random.Random, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(random_.choice(SCHEMA).format(random_.choice(list(COLUMNS))))


DAMAGES: Final[list[Callable[[random.Random, Path], None]]] = [
    flip_bytes, flip_bytes, overwrite, cut, forge, forge, forge_bytes, forge_bytes, change_schema,
]  # fmt: skip


def read_all(path: Path, head: ChainHead) -> None:
    """Read as programs do: only these errors may be raised."""
    reader = SqliteReader(path)
    reads: list[Callable[[], Any]] = [reader.runs]
    for run in ("r1", "r2", "", "x"):
        reads += [partial(read, reader, run) for read in (_calls, _events, SqliteReader.head)]
        reads.append(partial(_verified, reader, run, head))
    for read in reads:
        with suppress(StoreError, RunNotFound, ChainError):
            read()


def _calls(reader: SqliteReader, run: str) -> Any:
    return calls_of(reader.read(run))


def _events(reader: SqliteReader, run: str) -> Any:
    return reader.page(run, -1, 100)


def _verified(reader: SqliteReader, run: str, head: ChainHead) -> Any:
    return verify_chain(reader.chain(run), head, KEY)


def read_on_the_command_line(path: Path, head: ChainHead, key: Path, capture: pytest.CaptureFixture[str]) -> None:
    at = ["--store", str(path)]
    for args in (
        at, ["r1", *at], ["r2", *at], ["r2", *at, "--format", "json"], [*at, "--format", "json"], ["nowhere", *at],
        ["head", "r1", *at], ["verify", "r1", *at, "--head", str(head), "--key-file", str(key)],
        ["verify", "r1", *at, "--head", str(head), "--key-file", str(key), "--format", "json"],
    ):  # fmt: skip
        code = front.run(["log", *args])
        shown = capture.readouterr()
        assert code in (0, 1, 2), (args, shown.err)
        assert code != 2 or shown.err.startswith("Error: "), "an error is a message"


def write_to(path: Path) -> None:
    """Write as a host does, to an existing and a new run; a failed write is reported."""

    async def main() -> None:
        try:
            store = SqliteStore(path, key=KEY)
        except StoreError:
            return
        writes = [store.append(started(run=run)) for run in ("r1", "r2", "new")]
        for write in writes:
            with suppress(StoreError):
                await asyncio.wait_for(write, 10)
        await asyncio.wait_for(store.close(), 10)

    asyncio.run(main())


def fuzz(folder: Path, seed: int, count: int, capture: pytest.CaptureFixture[str], *, on_command_line: int) -> None:
    random_ = random.Random(seed)
    whole, path, key = folder / "whole.db", folder / "store.db", folder / "key"
    written(whole)
    key.write_bytes(b"a key that is only known to tests")
    head = SqliteReader(whole).head("r1")
    for number in range(count):
        for beside in folder.glob("store.db*"):
            beside.unlink()
        shutil.copy(whole, path)
        for _ in range(random_.choice([1, 1, 2])):
            with suppress(sqlite3.Error, UnicodeDecodeError):  # SQLite cannot always damage a damaged file further
                random_.choice(DAMAGES)(random_, path)
        read_all(path, head)
        if number < on_command_line:
            read_on_the_command_line(path, head, key, capture)
        write_to(path)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.variants(2)
def test_a_damaged_file_is_an_error_message(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL", "toolgen")
    fuzz(tmp_path, seed, 40, capsys, on_command_line=12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_damaged_files_are_error_messages(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL", "toolgen")
    fuzz(tmp_path, seed, 300, capsys, on_command_line=300)


@pytest.mark.parametrize("made", [ENDLESS, COMPUTED], ids=["view", "computed column"])
@pytest.mark.parametrize("table", COLUMNS)
def test_what_is_computed_is_not_read(
    made: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLGEN_LOG_KEY", "ab" * 32)
    path = tmp_path / "calls.db"
    written(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DROP TABLE {table}")
        connection.execute(made.format(table))
    head = str(ChainHead(1, "00" * 32))
    for command in (["log"], ["log", "r1"], ["log", "verify", "r1", "--head", head]):
        assert front.run([*command, "--store", str(path)]) == 2
        assert f"`{table}` of the store is computed" in capsys.readouterr().err
