"""A store in an SQLite file: one thread writes, and commits everything that arrived during a write together."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from toolgen.record.chain import FIRST_ROW, LAST_ROW, Chain, ChainError, ChainHead, ChainLink
from toolgen.record.writing import RunEnds, WriteQueue, ended_counts, refuse, repeats
from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteKind, check_files, why
from toolgen.runtime.events.encoding import decode_event, decode_result, decode_time, encode_result, format_time
from toolgen.runtime.events.reading import readable
from toolgen.runtime.events.records import (
    EVERY_RUN,
    CallOutcome,
    DamagedRun,
    Event,
    NewEvent,
    RunFilter,
    RunNotFound,
    RunRecord,
    RunsPage,
    RunSummary,
    StoreError,
)
from toolgen.runtime.redact.warning import warn
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.record.chain import ChainKey
    from toolgen.record.writing import End, Group, Write


# Reading an SQLite store: runs, their events and their chains; also while a writer is open in any process.

# The file of an SQLite store: its tables, and whether it is still the file that was opened.

STORE_FILE: Final = SqliteKind(
    name="store",
    application=0x746F6F6C,  # `tool` in ASCII
    version=1,
    tables=(
        """CREATE TABLE events (
          run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, digest BLOB,
          PRIMARY KEY (run_id, sequence)
        ) WITHOUT ROWID""",
        """CREATE TABLE results (
          run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run_id, sequence)
        ) WITHOUT ROWID""",
        """CREATE TABLE runs (
          run_id TEXT PRIMARY KEY, began TEXT NOT NULL, last TEXT NOT NULL, events INTEGER NOT NULL,
          completed INTEGER NOT NULL, failed INTEGER NOT NULL, denied INTEGER NOT NULL
        ) WITHOUT ROWID""",
    ),
    error=StoreError,
    is_exact=True,
)
"""`runs` is only an index for lists; the other two are authoritative."""

_GONE: Final = "its file was deleted, moved or replaced"
_LOG_GONE: Final = "the write-ahead log of its file was deleted or replaced"


class WatchedFile:
    """The file of a store and its write-ahead log, as of the last check.

    SQLite continues to write to a file that has been deleted, and what it writes is lost. Neither file shrinks while a
    store writes: if one has, all pages are checked, because another program may have vacuumed the file or emptied its
    log.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Watch the file that a connection has open, and its log, if the file system supports one.

        A relative path refers to the current working directory. Raises `StoreError` if the file is already gone.
        """
        self._path: Final = path.absolute()
        self._text = str(self._path)
        self._log: int | None = None
        self._size = self._log_size = 0
        try:
            found = path.stat()
        except OSError as error:
            raise StoreError(_GONE) from error
        self._file = (found.st_dev, found.st_ino)
        self.watch_log(connection)

    def watch_log(self, connection: sqlite3.Connection) -> None:
        """Watch the log of a connection that was opened again, after `close`. Raises `StoreError` if it is gone."""
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                # SQLite holds no locks on the log, so closing this descriptor releases none.
                self._log = os.open(f"{self._text}-wal", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(_GONE) from error
        self._log_size = 0

    def check(self) -> None:
        """Check again. Raises `StoreError` if the files are not those that were opened, or are damaged."""
        try:
            found = os.stat(self._text)  # noqa: PTH116  # Path.stat takes half as long again: it is done for every commit
        except OSError as error:
            raise StoreError(_GONE) from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StoreError(_GONE)
        log_size = 0
        if self._log is not None:
            log = os.fstat(self._log)
            if not log.st_nlink:
                raise StoreError(_LOG_GONE)
            log_size = log.st_size
        if found.st_size < self._size or log_size < self._log_size:
            self._check_pages()
        self._size, self._log_size = found.st_size, log_size

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _check_pages(self) -> None:
        with closing(STORE_FILE.open_for_reading(self._path)) as connection:
            try:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()
            except UNREADABLE as error:
                raise StoreError(f"its file was truncated: {why(error)}") from error
        if found != ("ok",):
            raise StoreError("its file was truncated")


# ruff: noqa: S608  # statements are built from constants
# An edited file may have any type in any column. Only an integer is the number of a row.
_NUMBER: Final = "CASE typeof(sequence) WHEN 'integer' THEN sequence END"
_EVENTS: Final = (
    f"SELECT {_NUMBER}, CAST(body AS BLOB), CAST(digest AS BLOB), CAST(sequence AS BLOB) FROM events WHERE run_id = ?"
)
_RESULTS: Final = f"SELECT {_NUMBER}, CAST(body AS BLOB), CAST(sequence AS BLOB) FROM results WHERE run_id = ?"
_EVENTS_AFTER: Final = f"{_EVENTS} AND sequence > ? ORDER BY sequence LIMIT ?"
_RESULTS_AFTER: Final = f"{_RESULTS} AND sequence > ? AND sequence <= ? ORDER BY sequence"
_IS_NUMBERED: Final = "typeof(sequence) = 'integer'"
_EVENTS_FROM: Final = f"{_EVENTS} AND {_IS_NUMBERED} AND sequence >= ? ORDER BY sequence LIMIT ?"
_RESULTS_FROM: Final = f"{_RESULTS} AND {_IS_NUMBERED} AND sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?"
_FORGED: Final = f"AND NOT ({_IS_NUMBERED}) LIMIT ?"
_FOLLOWED: Final = 1_000
"""Events that a follower reads at once."""
_COUNTS: Final = "began, last, events, completed, failed, denied"
_NAMES_USER: Final = """(
  SELECT CASE WHEN json_valid(CAST(body AS TEXT)) THEN json_extract(CAST(body AS TEXT), '$.data.user') END
  FROM events WHERE events.run_id = runs.run_id AND sequence = 0
) = ?"""
_DAMAGED: Final = "the record of the run is damaged; verify it"


class SqliteReader:
    """Reads the store in a file. It may be used from any thread; each read sees a consistent state of the file.

    All methods block, and raise `StoreError` if the file cannot be opened or read, or is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def is_begun(self) -> bool:
        """Whether the file exists and has tables; True for a file that cannot be opened, so that a read reports it."""
        if not self._path.exists():
            return False
        try:
            check_files(self._path)
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
        except (OSError, *UNREADABLE):
            return True

    def read(self, run_id: str) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        check_known(run_id)
        with self._reading() as connection:
            events, results = _rows(connection, run_id)
        if not events:
            raise RunNotFound(run_id)
        return _record(run_id, events, results)

    def page(self, run_id: str, after: int, most: int) -> RunRecord:
        """Read at most that many events of a run after a number; a run that does not exist yet has none."""
        check_known(run_id)
        with self._reading() as connection:
            connection.execute("BEGIN")
            events = connection.execute(_EVENTS_AFTER, (run_id, after, most)).fetchall()
            last = events[-1][0] if events else after
            results = connection.execute(_RESULTS_AFTER, (run_id, after, last)).fetchall()
        return _record(run_id, events, results)

    def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        with self._reading() as connection:
            rows = connection.execute(f"SELECT run_id, {_COUNTS} FROM runs ORDER BY last, run_id").fetchall()
        return tuple(summaries_of(rows))

    def latest_runs(self, most: int, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first, after the first `skip` of them."""
        where, values = selection(which, "instr(run_id, ?) > 0", "?", _NAMES_USER, which.user)
        with self._reading() as connection:
            connection.execute("BEGIN")
            (found,) = connection.execute(f"SELECT count(*) FROM runs{where}", values).fetchone()
            rows = connection.execute(
                f"SELECT run_id, {_COUNTS} FROM runs{where} ORDER BY last DESC, run_id DESC LIMIT ? OFFSET ?",
                (*values, most, skip),
            ).fetchall()
        return RunsPage(found=found, runs=tuple(summaries_of(rows)))

    def chain(self, run_id: str) -> Chain:
        """Read a run as stored, for `verify`. A missing run has an empty chain."""
        check_known(run_id)
        with self._reading() as connection:
            events, results = _rows(connection, run_id)
            listed = _listed(connection, run_id)
            has_other_parts = STORE_FILE.has_other_parts(connection)
        return _chain(run_id, events, results, listed, has_other_parts=has_other_parts)

    def chain_page(self, run_id: str, /, first: int, most: int) -> Chain:
        """Read a page of a run as stored: see `toolgen.record.chain.ReadsChains`."""
        check_known(run_id)
        is_first = first == FIRST_ROW
        with self._reading() as connection:
            connection.execute("BEGIN")
            events = connection.execute(_EVENTS_FROM, (run_id, first, most)).fetchall()
            last = events[-1][0] if len(events) == most else LAST_ROW
            results = connection.execute(_RESULTS_FROM, (run_id, first, last, most)).fetchall()
            if is_first:
                events += connection.execute(f"{_EVENTS} {_FORGED}", (run_id, most)).fetchall()
                results += connection.execute(f"{_RESULTS} {_FORGED}", (run_id, most)).fetchall()
            listed = _listed(connection, run_id)
            has_other_parts = is_first and STORE_FILE.has_other_parts(connection)
        return _chain(run_id, events, results, listed, has_other_parts=has_other_parts)

    def head(self, run_id: str) -> ChainHead:
        """Return the head of a run's chain. Raises `RunNotFound`, and `ChainError` for a run without a chain."""
        check_known(run_id)
        with self._reading() as connection:
            row = connection.execute(f"{_EVENTS} ORDER BY sequence DESC LIMIT 1", (run_id,)).fetchone()
        if row is None:
            raise RunNotFound(run_id)
        with undamaged(_DAMAGED):
            sequence, digest = _number(row), row[2]
        if digest is None:
            raise ChainError("the run has no chain: it was written without a key")
        return ChainHead(sequence + 1, digest.hex())

    def close(self) -> None:
        """Do nothing: each read opens the file."""

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with closing(STORE_FILE.open_for_reading(self._path)) as connection:
            try:
                yield connection
            except UNREADABLE as error:
                raise StoreError(f"the store cannot be read: {why(error)}") from error


def check_known(run_id: str) -> None:
    """Raise `RunNotFound` for an id that no run of a store can have: half of a surrogate pair is no text there."""
    try:
        run_id.encode()
    except UnicodeEncodeError:
        raise RunNotFound(run_id) from None


def _record(run_id: str, events: list[Any], results: list[Any]) -> RunRecord:
    """Decode rows. Raises `StoreError` for a damaged one."""
    with undamaged(_DAMAGED):
        return RunRecord(
            run_id=run_id,
            events=tuple(decode_event(run_id, _number(row), row[1]) for row in events),
            results=tuple(decode_result(run_id, _number(row), row[1]) for row in results),
        )


def _chain(run_id: str, events: list[Any], results: list[Any], listed: Any, *, has_other_parts: bool) -> Chain:
    return Chain(
        run_id,
        links=[ChainLink(row[0], row[1] or b"", row[2]) for row in events if row[0] is not None],
        results={row[0]: row[1] or b"" for row in results if row[0] is not None},
        listed=listed,
        forged=[
            *(f"an event numbered {_shown(row[-1])}" for row in events if row[0] is None),
            *(f"a result numbered {_shown(row[-1])}" for row in results if row[0] is None),
        ],
        has_other_parts=has_other_parts,
    )


def _rows(connection: sqlite3.Connection, run_id: str) -> tuple[list[Any], list[Any]]:
    connection.execute("BEGIN")
    return (
        connection.execute(f"{_EVENTS} ORDER BY sequence", (run_id,)).fetchall(),
        connection.execute(f"{_RESULTS} ORDER BY sequence", (run_id,)).fetchall(),
    )


def _listed(connection: sqlite3.Connection, run_id: str) -> Any:
    """Return the row of a run in the list of runs; None if the row or the list is missing."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone() is None:
        return None
    return connection.execute(f"SELECT {_COUNTS} FROM runs WHERE run_id = ?", (run_id,)).fetchone()


def _number(row: Any) -> int:
    """Return the number of a row. Raises TypeError for a number that stores do not write."""
    if row[0] is None:
        raise TypeError(f"a row is numbered {_shown(row[-1])}")
    return int(row[0])


def _shown(number: bytes | None) -> str:
    return visible((number or b"").decode("utf-8", "replace"))[:40]


@contextmanager
def undamaged(message: str) -> Generator[None]:
    """Decode data of a store, as of one run. Raises `DamagedRun` for what no store writes."""
    try:
        yield
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedRun(message) from error


def selection(
    which: RunFilter, has_part: str, place: str, names_user: str, user: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return a filter as the WHERE of a statement over the list of runs, and its values.

    `has_part` is the condition that an id has a part, `names_user` that the first event names a user, with the value
    `user`, and `place` stands for a value, all as the database takes them.
    """
    conditions: list[str] = []
    values: list[str] = []
    if which.outcome is not None:
        conditions.append(f"{CallOutcome(which.outcome)} > 0")
    for condition, value in (
        (f"last >= {place}", which.since and format_time(which.since)),
        (f"began < {place}", which.until and format_time(which.until)),
        (has_part, which.part),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    if user is not None:
        conditions.append(names_user)
        values.append(user)
    return f" WHERE {' AND '.join(conditions)}" if conditions else "", tuple(values)


def summaries_of(rows: Iterable[tuple[Any, ...]]) -> list[RunSummary]:
    """Decode rows of the list of runs. One with a column that stores do not write is left out, with a warning."""
    return readable(rows, _summary)


def _summary(row: tuple[Any, ...]) -> RunSummary:
    run_id, began, last, *counts = row
    with undamaged(f"the row of {run_id!a} in the list of runs cannot be read; verify the run"):
        if not isinstance(run_id, str) or not all(isinstance(count, int) for count in counts):
            raise TypeError("a column has another type")
        events, completed, failed, denied = counts
        return RunSummary(
            run_id=run_id,
            began=decode_time(began),
            last=decode_time(last),
            events=events,
            completed=completed,
            failed=failed,
            denied=denied,
        )


_INSERT_EVENT: Final = "INSERT INTO events (run_id, sequence, body, digest) VALUES (?, ?, ?, ?)"
_INSERT_RESULT: Final = "INSERT INTO results (run_id, sequence, body) VALUES (?, ?, ?)"
_COUNT: Final = """
INSERT INTO runs (run_id, began, last, events, completed, failed, denied) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id) DO UPDATE SET last = max(last, excluded.last), events = events + excluded.events,
  completed = completed + excluded.completed, failed = failed + excluded.failed, denied = denied + excluded.denied
"""

_LAST: Final = "SELECT sequence, digest FROM events WHERE run_id = ? ORDER BY sequence DESC LIMIT 1"
_LAST_TWO: Final = """
SELECT CAST(body AS BLOB), CAST(digest AS BLOB) FROM events WHERE run_id = ? ORDER BY sequence DESC LIMIT 2
"""
_BEFORE: Final = "SELECT CAST(body AS BLOB) FROM events WHERE run_id = ? ORDER BY sequence DESC"
_DIGEST: Final = "SELECT CAST(digest AS BLOB) FROM events WHERE run_id = ? AND sequence = ?"

_now: Final = partial(datetime.now, UTC)


class SqliteStore:
    """Stores runs in an SQLite file. Implements `Store`; several processes may have it open.

    With a `key`, which must not be stored next to the file, the events of each run form a chain that reveals tampering.
    A run can only be continued with the same key, and if the end of its record is unchanged; otherwise, and if the file
    was deleted, replaced or truncated, writes raise `StoreError`. `clock` returns the time of events. `follow` looks
    for new events every `poll` seconds. A forked process must open its own store: its writes to this one raise
    `StoreError`.

    Raises `StoreError` if the file cannot be opened, or is not a store.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        key: ChainKey | None = None,
        clock: Callable[[], datetime] = _now,
        poll: float = 0.1,
    ) -> None:
        self._key = key
        self._clock = clock
        self._poll = poll
        self._reader = SqliteReader(path)
        self._path = Path(path).absolute()
        self._using = Lock()
        self._is_left = False
        self._connection: sqlite3.Connection | None = STORE_FILE.open_for_writing(Path(path))
        self._file = WatchedFile(Path(path), self._connection)
        self._ends = RunEnds(key)
        at_fork(before=self._leave, after_in_parent=self._continue)
        self._queue = WriteQueue(self._commit, self._release)

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        """Write an event; the end of a run once. Raises ValueError, TypeError, and `StoreError` if closed or forked."""
        return self._queue.put(event, self._clock(), None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        """Write a final result and its event, both or neither. Raises as `append` does."""
        return self._queue.put(event, self._clock(), encode_result(result, event.secrets))

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        return await asyncio.to_thread(self._reader.read, run_id)

    async def page(self, run_id: str, /, after: int, most: int) -> RunRecord:
        """Read at most that many events of a run after a number, with their results. Raises `StoreError`."""
        return await asyncio.to_thread(self._reader.page, run_id, after, most)

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        return await asyncio.to_thread(self._reader.runs)

    async def latest_runs(self, most: int, /, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first. Raises `StoreError`."""
        return await asyncio.to_thread(self._reader.latest_runs, most, skip=skip, which=which)

    async def head(self, run_id: str, /) -> ChainHead:
        """Return the head of a run's chain, to be stored elsewhere.

        Raises `RunNotFound`, `ChainError`, `StoreError`.
        """
        return await asyncio.to_thread(self._reader.head, run_id)

    async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, including future ones, endlessly."""
        while True:
            page = await self.page(run_id, after, _FOLLOWED)
            for event in page.events:
                yield event
                after = event.sequence
            if len(page.events) < _FOLLOWED:
                await asyncio.sleep(self._poll)

    async def close(self) -> None:
        """Write what is pending, and close the file."""
        await self._queue.close()

    def _leave(self) -> None:
        """Close the file before a fork: with a connection of the parent, a child could not open the file safely."""
        self._using.acquire()  # not in the middle of a commit
        self._is_left = True
        self._close()

    def _continue(self) -> None:
        if self._is_left:  # not where another thread has opened the store meanwhile
            self._is_left = False
            self._using.release()

    def _commit(self, group: Group) -> None:
        with self._using:
            self._file.check()
            connection = self._opened()
            try:
                connection.execute("BEGIN IMMEDIATE")
                ends = {run: self._write_run(connection, run, writes) for run, writes in group.by_run().items()}
                connection.execute("COMMIT")
            except Exception:  # whatever fails, the transaction is rolled back; raised again
                _roll_back(connection)
                raise
            self._ends.remember(ends)

    def _opened(self) -> sqlite3.Connection:
        """Return the connection, opened again after a fork, to the same file. Raises `StoreError`."""
        if self._connection is None:
            connection = STORE_FILE.open_for_writing(self._path)
            try:
                self._file.watch_log(connection)
                self._file.check()
            except BaseException:  # raised again
                self._file.close()
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _write_run(self, connection: sqlite3.Connection, run_id: str, writes: list[Write]) -> End | None:
        """Write the events of one run, continuing its chain; return its new end, or None if the writes were refused."""
        try:
            sequence, digest = self._ends.find(run_id, _Stored(connection, run_id))
        except StoreError as refusal:
            refuse(writes, refusal)
            return None
        written: list[Write] = []
        for write in writes:
            if repeats(write, _before(connection, run_id)):
                continue
            written.append(write)
            sequence += 1
            digest = self._key.next(digest, write.body) if self._key and digest is not None else None
            connection.execute(_INSERT_EVENT, (run_id, sequence, write.body, digest))
            if write.result is not None:
                connection.execute(_INSERT_RESULT, (run_id, sequence, write.result))
        if written:
            connection.execute(_COUNT, (run_id, *ended_counts(written)))
        return sequence, digest

    def _release(self) -> None:
        with self._using:
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        self._file.close()


def _before(connection: sqlite3.Connection, run_id: str) -> Iterator[bytes]:
    """Yield the events of a run, the last first."""
    return (bytes(body) for (body,) in connection.execute(_BEFORE, (run_id,)))


def _roll_back(connection: sqlite3.Connection) -> None:
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        warn("the transaction cannot be rolled back: %s", error)


class _Stored:
    """The last events of one run in a file. Implements `StoredEnd`."""

    def __init__(self, connection: sqlite3.Connection, run_id: str) -> None:
        self._connection = connection
        self._run_id = run_id

    def last(self) -> tuple[Any, Any] | None:
        row: tuple[Any, Any] | None = self._connection.execute(_LAST, (self._run_id,)).fetchone()
        return row

    def digests_at(self, sequence: int) -> list[bytes | None]:
        return [digest for (digest,) in self._connection.execute(_DIGEST, (self._run_id, sequence))]

    def last_two(self) -> list[tuple[bytes, bytes | None]]:
        return self._connection.execute(_LAST_TWO, (self._run_id,)).fetchall()
