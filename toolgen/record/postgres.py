"""A store in a Postgres database, for writers on many machines. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.record.chain import FIRST_ROW, LAST_ROW, Chain, ChainError, ChainHead, ChainLink
from toolgen.record.sqlite import check_known, selection, summaries_of, undamaged
from toolgen.record.writing import RunEnds, WriteQueue, ended_counts, refuse, repeats
from toolgen.runtime.base.postgres import (
    PostgresDatabase,
    PostgresTables,
    Watchdog,
    answer_within,
    disinherit,
    is_usable,
)
from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.events.encoding import decode_event, decode_result, encode_result
from toolgen.runtime.events.records import (
    EVERY_RUN,
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
from toolgen.schema.json_values import canonical
from toolgen.spec.text import visible

if TYPE_CHECKING:
    import psycopg

    from toolgen.contract.records import ToolResult
    from toolgen.record.chain import ChainKey
    from toolgen.record.writing import End, Group, Write


# The tables of a Postgres store.

STORE_TABLES: Final = PostgresTables(
    name="store",
    migrations=(
        """
        CREATE TABLE toolgen.events (
          run_id text COLLATE "C" NOT NULL, sequence bigint NOT NULL, body bytea NOT NULL, digest bytea,
          PRIMARY KEY (run_id, sequence)
        );
        CREATE TABLE toolgen.results (
          run_id text COLLATE "C" NOT NULL, sequence bigint NOT NULL, body bytea NOT NULL,
          PRIMARY KEY (run_id, sequence)
        );
        CREATE TABLE toolgen.runs (
          run_id text COLLATE "C" PRIMARY KEY, began text COLLATE "C" NOT NULL, last text COLLATE "C" NOT NULL,
          events bigint NOT NULL, completed bigint NOT NULL, failed bigint NOT NULL, denied bigint NOT NULL
        );
        """,
    ),
    error=StoreError,
)
"""`runs` is only an index for lists; the other two are authoritative."""

_EXPECTED: Final = frozenset(
    {
        ("events", "r p", "run_id text!, sequence bigint!, body bytea!, digest bytea"),
        ("results", "r p", "run_id text!, sequence bigint!, body bytea!"),
        (
            "runs",
            "r p",
            "run_id text!, began text!, last text!, events bigint!, completed bigint!, failed bigint!, denied bigint!",
        ),
        *((name, "key", "PRIMARY KEY (run_id, sequence)") for name in ("events", "results")),
        ("runs", "key", "PRIMARY KEY (run_id)"),
    }
)

_PARTS: Final = """
WITH tables AS (
  SELECT c.oid, c.relname::text AS name, c.relkind::text || ' ' || c.relpersistence::text AS kind,
    c.relrowsecurity AS has_policies
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'toolgen' AND c.relname IN ('events', 'results', 'runs')
)
SELECT name, kind, (
  SELECT string_agg(
    a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN '!' ELSE '' END
      || CASE WHEN a.atthasdef THEN ' with a default' ELSE '' END, ', ' ORDER BY a.attnum)
  FROM pg_attribute a WHERE a.attrelid = tables.oid AND a.attnum > 0 AND NOT a.attisdropped
) FROM tables
UNION ALL SELECT name, 'row security', '' FROM tables WHERE has_policies
UNION ALL SELECT name, 'trigger', tgname::text FROM tables JOIN pg_trigger ON tgrelid = tables.oid
  WHERE NOT tgisinternal
UNION ALL SELECT name, 'rule', rulename::text FROM tables JOIN pg_rewrite r ON r.ev_class = tables.oid
UNION ALL SELECT name, 'child', '' FROM tables JOIN pg_inherits ON tables.oid IN (inhparent, inhrelid)
UNION ALL SELECT name, 'constraint', conname::text FROM tables JOIN pg_constraint ON conrelid = tables.oid
  WHERE contype IN ('c', 'f', 'x')
UNION ALL SELECT name, 'key', pg_get_constraintdef(c.oid) FROM tables JOIN pg_constraint c ON conrelid = tables.oid
  WHERE contype = 'p'
UNION ALL SELECT name, 'index', indexrelid::regclass::text FROM tables JOIN pg_index i ON indrelid = tables.oid
  WHERE indexprs IS NOT NULL OR indpred IS NOT NULL OR EXISTS (
    SELECT 1 FROM pg_opclass o WHERE o.oid = ANY (i.indclass) AND o.opcnamespace <> 'pg_catalog'::regnamespace)
"""
"""What the three tables are made of: columns, keys, and whatever runs, or changes rows, as they are written or read.

An index that somebody adds for their own reads does neither, unless it computes something.
"""


def has_other_parts(connection: psycopg.Connection[Any]) -> bool:
    """Whether the tables of the store are not as it created them, or have triggers, rules or policies of others."""
    return frozenset(connection.execute(_PARTS).fetchall()) != _EXPECTED


def channel_of(run_id: str) -> str:
    """Return the channel on which new events of a run are announced: an identifier without special characters."""
    return f"toolgen_{_digest(run_id).hex()[:32]}"


def lock_of(run_id: str) -> int:
    """Return the advisory lock that a writer of a run holds until it has committed, a signed number of 64 bits."""
    return int.from_bytes(_digest(run_id)[:8], signed=True)


def _digest(run_id: str) -> bytes:
    return sha256(run_id.encode()).digest()


# Reading a Postgres store: runs, their events and their chains.

# ruff: noqa: S608  # statements are built from constants


_TIMEOUT: Final = 10.0
_LONGEST_READ: Final = 60.0
"""Seconds, until a connection is opened, and until all of a run is read."""

_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_EVENTS: Final = "SELECT sequence, body, digest FROM toolgen.events WHERE run_id = %s"
EVENTS_AFTER: Final = f"{_EVENTS} AND sequence > %s ORDER BY sequence"
_RESULTS: Final = "SELECT sequence, body FROM toolgen.results WHERE run_id = %s"
_RESULTS_AFTER: Final = f"{_RESULTS} AND sequence > %s AND sequence <= %s ORDER BY sequence"
_EVENTS_FROM: Final = f"{_EVENTS} AND sequence >= %s ORDER BY sequence LIMIT %s"
_RESULTS_FROM: Final = f"{_RESULTS} AND sequence BETWEEN %s AND %s ORDER BY sequence LIMIT %s"
_COUNTS: Final = "began, last, events, completed, failed, denied"
_LISTED: Final = f"SELECT {_COUNTS} FROM toolgen.runs WHERE run_id = %s"
_NAMES_USER: Final = """EXISTS (
  SELECT FROM toolgen.events
  WHERE events.run_id = runs.run_id AND sequence = 0 AND encode(body, 'escape') ~ %s
)"""
_ESCAPED: Final = r"""([^"\\]|\\\\(\\\\|[^\\])|\\[0-7]{3})*"""
"""What a text of JSON may have in it, in the format `escape`."""
_DAMAGED: Final = "the record of the run is damaged; verify it"


class PostgresReader:
    """Reads the store in a database. It may be used from any thread; each read sees a consistent state.

    A process that is forked reads over a connection of its own. All methods block, and raise `StoreError` if the
    database cannot be opened or read, or the record is damaged. Raises `StoreError` for an invalid URL, and ImportError
    without psycopg.
    """

    def __init__(self, url: str) -> None:
        self._database = database_at(url, timeout=_TIMEOUT)
        self._lock = Lock()
        self._watchdog = Watchdog()
        self._connection: psycopg.Connection[Any] | None = None
        self._unreached: psycopg.Error | None = None
        at_fork(after_in_child=self._begin)

    def is_begun(self) -> bool:
        """Whether a store was opened in the database; False for one without its tables."""
        with self._reading() as connection:
            return STORE_TABLES.is_created(connection)

    def read(self, run_id: str) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        _check_known(run_id)
        with self._snapshot() as connection:
            events = connection.execute(f"{_EVENTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
            results = connection.execute(f"{_RESULTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
        if not events:
            raise RunNotFound(run_id)
        return _record(run_id, events, results)

    def page(self, run_id: str, after: int, most: int) -> RunRecord:
        """Read at most that many events of a run after a number; a run that does not exist yet has none."""
        _check_known(run_id)
        with self._snapshot() as connection:
            events = connection.execute(f"{EVENTS_AFTER} LIMIT %s", (run_id, after, most), binary=True).fetchall()
            last = events[-1][0] if events else after
            results = connection.execute(_RESULTS_AFTER, (run_id, after, last), binary=True).fetchall()
        return _record(run_id, events, results)

    def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        with self._snapshot() as connection:
            rows = connection.execute(f"SELECT run_id, {_COUNTS} FROM toolgen.runs ORDER BY last, run_id").fetchall()
        return tuple(summaries_of(rows))

    def latest_runs(self, most: int, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first, after the first `skip` of them."""
        named = None if which.user is None else _first_event_of(which.user)
        where, values = selection(which, "strpos(run_id, %s) > 0", "%s", _NAMES_USER, named)
        page = f"SELECT run_id, {_COUNTS} FROM toolgen.runs{where} ORDER BY last DESC, run_id DESC LIMIT %s OFFSET %s"
        with self._snapshot() as connection:
            (counted,) = connection.execute(f"SELECT count(*) FROM toolgen.runs{where}".encode(), values).fetchall()
            rows = connection.execute(page.encode(), (*values, most, skip)).fetchall()
        return RunsPage(found=counted[0], runs=tuple(summaries_of(rows)))

    def chain(self, run_id: str) -> Chain:
        """Read a run as stored, for `verify`. A missing run has an empty chain."""
        _check_known(run_id)
        with self._snapshot() as connection:
            others = has_other_parts(connection)
            events = connection.execute(f"{_EVENTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
            results = connection.execute(f"{_RESULTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
            listed = connection.execute(_LISTED, (run_id,)).fetchone()
        return _chain(run_id, events, results, listed, has_other_parts=others)

    def chain_page(self, run_id: str, /, first: int, most: int) -> Chain:
        """Read a page of a run as stored: see `toolgen.record.chain.ReadsChains`."""
        _check_known(run_id)
        with self._snapshot() as connection:
            others = first == FIRST_ROW and has_other_parts(connection)
            events = connection.execute(_EVENTS_FROM, (run_id, first, most), binary=True).fetchall()
            last = events[-1][0] if len(events) == most else LAST_ROW
            results = connection.execute(_RESULTS_FROM, (run_id, first, last, most), binary=True).fetchall()
            listed = connection.execute(_LISTED, (run_id,)).fetchone()
        return _chain(run_id, events, results, listed, has_other_parts=others)

    def head(self, run_id: str) -> ChainHead:
        """Return the head of a run's chain. Raises `RunNotFound`, and `ChainError` for a run without a chain."""
        _check_known(run_id)
        with self._snapshot() as connection:
            last = f"{_EVENTS} ORDER BY sequence DESC LIMIT 1"
            row = connection.execute(last, (run_id,), binary=True).fetchone()
        if row is None:
            raise RunNotFound(run_id)
        if not _is_row(*row):
            raise DamagedRun(_DAMAGED)
        sequence, _, digest = row
        if digest is None:
            raise ChainError("the run has no chain: it was written without a key")
        return ChainHead(sequence + 1, digest.hex())

    def close(self) -> None:
        """Close the connection. A later read opens another one."""
        with self._lock:
            self._drop()

    @contextmanager
    def _snapshot(self) -> Generator[psycopg.Connection[Any]]:
        """Read in one transaction, which no later write affects. Raises `StoreError` for an empty store."""
        with self._reading() as connection:
            connection.execute(_SNAPSHOT)
            if not STORE_TABLES.is_created(connection):
                raise StoreError("the store is empty")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Generator[psycopg.Connection[Any]]:
        """Use the connection alone; one that fails is dropped. Raises `StoreError`.

        Who waited while another could not connect does not try it again.
        """
        import psycopg

        before = self._unreached
        with self._lock:
            try:
                if self._connection is None or not is_usable(self._connection):
                    self._drop()
                    if self._unreached is not None and self._unreached is not before:
                        raise self._unreached
                    self._connection = self._connected()
                with self._watchdog.watch(self._connection, _LONGEST_READ):
                    yield self._connection
            except psycopg.Error as error:
                self._drop()
                raise StoreError(f"the store cannot be read: {self._database.why(error)}") from error
            except BaseException:  # also an interrupted read may leave a transaction open; raised again
                self._drop()
                raise

    def _connected(self) -> psycopg.Connection[Any]:
        import psycopg

        try:
            return self._database.connect(self._watchdog)
        except psycopg.Error as error:
            self._unreached = error
            raise

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _begin(self) -> None:
        """Begin without a connection, in a process that was forked."""
        inherited, self._connection, self._lock = self._connection, None, Lock()
        disinherit(inherited)


def database_at(url: str, *, timeout: float) -> PostgresDatabase:
    """Return the database of a store. Raises `StoreError` for an invalid URL."""
    try:
        return PostgresDatabase(url, timeout=timeout)
    except ValueError as error:
        raise StoreError(f"the store cannot be opened: {error}") from None


def _first_event_of(user: str) -> str:
    """Return a regular expression for the text of an event that names a user, in the format `escape`.

    To parse it would fail for one that was edited. The end of a text of JSON can be found nowhere in its args: there a
    quotation mark, or a brace, follows.
    """
    named = canonical({"user": user})[1:-1]
    escaped = "".join(f"\\{byte:03o}" if byte >= 0x80 else chr(byte) * (1 + (byte == 0x5C)) for byte in named)
    literal = "".join(each if each.isalnum() else f"\\{each}" for each in escaped)
    end = rf""",("result":"[^"]*",)?"tool":"{_ESCAPED}","tool_call_id":"{_ESCAPED}"\}}$"""
    return rf"""[{{,]{literal}\}},"kind":"{_ESCAPED}"{end}"""


def _chain(run_id: str, events: list[Any], results: list[Any], listed: Any, *, has_other_parts: bool) -> Chain:
    return Chain(
        run_id,
        links=[ChainLink(*row) for row in events if _is_row(*row)],
        results={row[0]: row[1] for row in results if _is_row(*row)},
        listed=listed,
        forged=[
            *(f"an event numbered {visible(str(row[0]))[:40]}" for row in events if not _is_row(*row)),
            *(f"a result numbered {visible(str(row[0]))[:40]}" for row in results if not _is_row(*row)),
        ],
        has_other_parts=has_other_parts,
    )


def _is_row(sequence: Any, body: Any, digest: Any = None) -> bool:
    """Whether the columns of a row are as a store writes them."""
    return isinstance(sequence, int) and isinstance(body, bytes) and isinstance(digest, bytes | None)


def _record(run_id: str, events: list[Any], results: list[Any]) -> RunRecord:
    """Decode rows. Raises `StoreError` for a damaged one."""
    with undamaged(_DAMAGED):
        return RunRecord(
            run_id=run_id,
            events=tuple(decode_event(run_id, sequence, body) for sequence, body, _ in events),
            results=tuple(decode_result(run_id, sequence, body) for sequence, body in results),
        )


def decoded(run_id: str, rows: list[Any]) -> list[Event]:
    """Decode rows of `EVENTS_AFTER`. Raises `StoreError` for a damaged one."""
    with undamaged(_DAMAGED):
        return [decode_event(run_id, sequence, body) for sequence, body, _ in rows]


# A store in a Postgres database: one thread writes, and commits everything that arrived during a write together.

# Writing to a Postgres store: one group of writes per transaction, in two round trips however many runs it has.
#
# The writers of a run take turns by an advisory lock, held until the commit: so a run has one sequence and one chain,
# whoever writes. All locks of a group are taken in one order, so writers never wait for each other in a circle.

_RETRY_SECONDS: Final = 0.05

_LOCK: Final = "SELECT pg_advisory_xact_lock(lock) FROM unnest(%b::bigint[]) AS lock"
_ENDS: Final = """
SELECT last.sequence, last.digest, at_known.sequence, at_known.digest,
  CASE WHEN last.sequence <> runs.known THEN last.body END, before.sequence, before.digest,
  (SELECT version FROM toolgen.versions WHERE kind = 'store')
FROM unnest(%b::text[], %b::bigint[]) WITH ORDINALITY AS runs (run_id, known, place)
LEFT JOIN LATERAL (
  SELECT * FROM toolgen.events WHERE events.run_id = runs.run_id ORDER BY sequence DESC LIMIT 1
) AS last ON true
LEFT JOIN toolgen.events AS at_known ON at_known.run_id = runs.run_id AND at_known.sequence = runs.known
LEFT JOIN toolgen.events AS before ON before.run_id = runs.run_id AND before.sequence = last.sequence - 1
ORDER BY place
"""
_INSERT_EVENTS: Final = """
INSERT INTO toolgen.events (run_id, sequence, body, digest)
SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bytea[], %b::bytea[])
"""
_INSERT_RESULTS: Final = """
INSERT INTO toolgen.results (run_id, sequence, body) SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bytea[])
"""
_COUNT: Final = """
INSERT INTO toolgen.runs AS runs (run_id, began, last, events, completed, failed, denied)
SELECT * FROM unnest(%b::text[], %b::text[], %b::text[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bigint[])
ON CONFLICT (run_id) DO UPDATE SET last = greatest(runs.last, excluded.last), events = runs.events + excluded.events,
  completed = runs.completed + excluded.completed, failed = runs.failed + excluded.failed,
  denied = runs.denied + excluded.denied
"""
# Not in the transaction of the events: transactions that notify wait for each other while they reach the disk.
_NOTIFY: Final = "SELECT pg_notify(channel, '') FROM unnest(%b::text[]) AS channel"
_BEFORE: Final = """
SELECT sequence, body FROM toolgen.events WHERE run_id = %b AND sequence < %b ORDER BY sequence DESC LIMIT 100
"""
_LARGEST: Final = 2**63 - 1
_IS_WRITTEN: Final = "SELECT 1 FROM toolgen.events WHERE run_id = %b AND sequence = %b AND body = %b"


class _Row(NamedTuple):
    """A row of `events`."""

    run_id: str
    sequence: int
    body: bytes
    digest: bytes | None


class Writer:
    """Writes groups, one at a time, in one thread.

    A group is written within `timeout` seconds, over reconnects if necessary, or fails. A connection that was lost
    during a commit leaves open whether it took place: the next one finds out, so nothing is written twice.

    Raises `StoreError` if the database cannot be opened, is of another version, or its tables were changed.
    """

    def __init__(self, database: PostgresDatabase, key: ChainKey | None, timeout: float) -> None:
        import psycopg

        self._database = database
        self._key = key
        self._timeout = timeout
        self._ends = RunEnds(key)
        self._watchdog = Watchdog()
        self._connection: psycopg.Connection[Any] | None = None
        self._unsure: tuple[_Row, dict[str, End | None]] | None = None
        try:
            self._connected()
        except psycopg.Error as error:
            raise StoreError(f"the store cannot be opened: {database.why(error)}") from error
        at_fork(after_in_child=self._leave)

    def commit(self, group: Group) -> None:
        """Write a group in one transaction. Writes of runs that must not be continued get an error of their own.

        Raises `StoreError`: then nothing was written, or, if the connection was lost for longer than `timeout`,
        perhaps all.
        """
        import psycopg

        deadline = time.monotonic() + self._timeout
        runs = group.by_run()
        self._unsure = None
        while True:
            try:
                self._ends.remember(self._write(runs))
            except psycopg.Error as error:
                self.close()
                if not _may_pass(error) or time.monotonic() > deadline:
                    raise StoreError(self._database.why(error)) from error
                time.sleep(_RETRY_SECONDS)
            except BaseException:  # also an interrupted write may leave a transaction open; raised again
                self.close()
                raise
            else:
                return

    def close(self) -> None:
        """Close the connection. The next group opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _leave(self) -> None:
        """Leave the connection to the parent of this process, which was forked."""
        inherited, self._connection = self._connection, None
        disinherit(inherited)

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            connection = self._database.connect(self._watchdog)
            try:
                with self._watchdog.watch(connection, self._timeout):
                    timeout = str(round(self._timeout * 1000))
                    connection.execute("SELECT set_config('lock_timeout', %s, false)", (timeout,))
                    STORE_TABLES.create(connection)
                    is_other = has_other_parts(connection)
                if is_other:
                    raise StoreError(
                        "the store has other columns, keys, triggers, rules, policies or computed indexes than toolgen "
                        "creates"
                    )
            except BaseException:  # also an interrupted start closes its connection; raised again
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _write(self, runs: dict[str, list[Write]]) -> dict[str, End | None]:
        connection = self._connected()
        names = list(runs)
        with self._watchdog.watch(connection, self._timeout), connection.pipeline():
            connection.execute("BEGIN")
            connection.execute(_LOCK, (sorted({lock_of(name) for name in names}),))
            known = [self._ends.known_number(name) for name in names]
            stored = [_Stored(*row) for row in connection.execute(_ENDS, (names, known), binary=True).fetchall()]
            STORE_TABLES.checked(stored[0].version)
            if self._unsure is not None and self._is_written(connection, self._unsure[0]):
                connection.execute("ROLLBACK")
                return self._unsure[1]
            rows, ends = self._continued(connection, runs, stored)
            if rows:
                self._unsure = (rows[0][0], ends)
                self._insert(connection, rows)
            connection.execute("COMMIT")
            connection.execute(_NOTIFY, ([channel_of(name) for name, end in ends.items() if end is not None],))
        return ends

    def _is_written(self, connection: psycopg.Connection[Any], row: _Row) -> bool:
        """Whether an earlier attempt to write this group was committed. Its session has ended: its locks are free."""
        return connection.execute(_IS_WRITTEN, row[:3]).fetchone() is not None

    def _before(self, connection: psycopg.Connection[Any], run_id: str) -> Iterator[bytes]:
        """Yield the stored events of a run, the last first."""
        rows = [(_LARGEST, b"")]
        while rows:
            rows = connection.execute(_BEFORE, (run_id, rows[-1][0]), binary=True).fetchall()
            for _, body in rows:
                yield body

    def _continued(
        self, connection: psycopg.Connection[Any], runs: dict[str, list[Write]], stored: list[_Stored]
    ) -> tuple[list[tuple[_Row, Write]], dict[str, End | None]]:
        """Return the rows of all writes, continuing the chains, and the new end of each run; None if it was refused."""
        rows: list[tuple[_Row, Write]] = []
        ends: dict[str, End | None] = {}
        for (run_id, writes), found in zip(runs.items(), stored, strict=True):
            try:
                sequence, digest = self._ends.find(run_id, found)
            except StoreError as refusal:
                refuse(writes, refusal)
                ends[run_id] = None
                continue
            new: list[bytes] = []
            for write in writes:
                if repeats(write, chain(reversed(new), self._before(connection, run_id))):
                    continue
                new.append(write.body)
                sequence += 1
                digest = self._key.next(digest, write.body) if self._key and digest is not None else None
                rows.append((_Row(run_id, sequence, write.body, digest), write))
            ends[run_id] = sequence, digest
        return rows, ends

    def _insert(self, connection: psycopg.Connection[Any], rows: list[tuple[_Row, Write]]) -> None:
        connection.execute(_INSERT_EVENTS, _columns([row for row, _ in rows]))
        results = [(row.run_id, row.sequence, write.result) for row, write in rows if write.result is not None]
        if results:
            connection.execute(_INSERT_RESULTS, _columns(results))
        written: dict[str, list[Write]] = {}
        for row, write in rows:
            written.setdefault(row.run_id, []).append(write)
        counts = [(run_id, *ended_counts(writes)) for run_id, writes in sorted(written.items())]
        connection.execute(_COUNT, _columns(counts))


class _Stored(NamedTuple):
    """The last events of one run, as `_ENDS` found them. Implements `StoredEnd`.

    The body of the last event is only there if it is not the one that this writer knows. `version` is that of the
    store, which another program may have raised meanwhile.
    """

    sequence: int | None
    digest: bytes | None
    known_sequence: int | None
    known_digest: bytes | None
    body: bytes | None
    sequence_before: int | None
    digest_before: bytes | None
    version: Any

    def last(self) -> tuple[int, bytes | None] | None:
        return None if self.sequence is None else (self.sequence, self.digest)

    def digests_at(self, sequence: int) -> list[bytes | None]:
        return [self.known_digest] if self.known_sequence == sequence else []

    def last_two(self) -> list[tuple[bytes, bytes | None]]:
        before = [] if self.sequence == 0 else [(b"", self.digest_before)]
        return [(self.body or b"", self.digest), *before]


def _columns(rows: list[Any]) -> tuple[list[Any], ...]:
    return tuple(map(list, zip(*rows, strict=True)))


def _may_pass(error: psycopg.Error) -> bool:
    """Whether another attempt may succeed: the connection was lost, or the server preferred another session."""
    import psycopg

    return isinstance(error, psycopg.OperationalError) and (
        error.sqlstate is None or error.sqlstate[:2] in ("08", "40", "57") or error.sqlstate == "55P03"
    )


_LONGEST_RUN_ID: Final = 1000
"""In bytes of UTF-8. A key of a Postgres index has at most 2,704 bytes."""

_now: Final = partial(datetime.now, UTC)


class PostgresStore:
    """Stores runs in a Postgres database (extra `toolgen[postgres]`). Implements `Store`.

    Any number of processes and machines may write, also to one run. `url` is `postgresql://user:password@host/database`,
    or what else libpq takes; without a password, libpq's own sources of it apply. The tables are in the schema
    `toolgen`, and are created where they are missing.

    With a `key`, which must not be stored in the database, the events of each run form a chain that reveals tampering.
    A run can only be continued with the same key, and if the end of its record is unchanged; otherwise writes raise
    `StoreError`. A write is committed within `timeout` seconds, also if the server restarts meanwhile, or raises
    `StoreError`. `clock` returns the time of events. `follow` waits for notifications of new events, and looks every
    `poll` seconds for those without one. A run id has at most 1,000 bytes and no NUL; another one raises ValueError. A
    forked process must open its own store: its writes to this one raise `StoreError`.

    Raises `StoreError` if the database cannot be reached, or has other tables than a store, and ImportError without
    psycopg. No message contains credentials.
    """

    def __init__(
        self,
        url: str,
        *,
        key: ChainKey | None = None,
        clock: Callable[[], datetime] = _now,
        poll: float = 1.0,
        timeout: float = 10.0,
    ) -> None:
        self._clock = clock
        self._poll = poll
        self._timeout = timeout
        self._database = database_at(url, timeout=timeout)
        self._reader = PostgresReader(url)
        self._writer = Writer(self._database, key, timeout)
        self._queue = WriteQueue(self._writer.commit, self._writer.close)

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        """Write an event. Raises ValueError or TypeError if it is not JSON, `StoreError` if closed or forked."""
        _check_run_id(event.run_id)
        return self._queue.put(event, self._clock(), None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        """Write a final result and its event, both or neither. Raises as `append` does."""
        _check_run_id(event.run_id)
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
        """Return the events of a run after a number, including future ones, endlessly, over a connection of its own.

        Raises `StoreError` if the database cannot be reached for `timeout` seconds.
        """
        import psycopg

        reached = time.monotonic()
        while True:
            try:
                async for events in self._new_events(run_id, after):
                    reached = time.monotonic()
                    for event in events:
                        after = event.sequence
                        yield event
            except psycopg.OperationalError as error:
                if time.monotonic() - reached > self._timeout:
                    raise StoreError(f"the store cannot be read: {self._database.why(error)}") from error
                await asyncio.sleep(min(self._poll, 0.1))

    async def close(self) -> None:
        """Write what is pending, and close the connections."""
        await self._queue.close()
        await asyncio.to_thread(self._reader.close)

    async def _new_events(self, run_id: str, after: int) -> AsyncGenerator[list[Event]]:
        """Return the events after a number whenever there may be new ones. Raises psycopg.Error."""
        import psycopg.sql

        connection = await self._database.connect_async(_LONGEST_READ)
        try:
            listen = psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel_of(run_id)))
            await answer_within(self._timeout, connection, connection.execute(listen))  # first, to miss no event
            while True:
                reading = connection.execute(EVENTS_AFTER, (run_id, after), binary=True)
                rows = await (await answer_within(_LONGEST_READ, connection, reading)).fetchall()
                events = decoded(run_id, rows)
                if events:
                    after = events[-1].sequence
                yield events
                async for _ in connection.notifies(timeout=self._poll, stop_after=1):
                    pass
        finally:
            await connection.close()


def _check_run_id(run_id: str) -> None:
    if _is_too_long(run_id):
        raise ValueError(f"a run id in Postgres has at most {_LONGEST_RUN_ID:,} bytes, and no NUL")


def _check_known(run_id: str) -> None:
    """Raise `RunNotFound` for an id that no run of a store can have."""
    check_known(run_id)
    if _is_too_long(run_id):
        raise RunNotFound(run_id)


def _is_too_long(run_id: str) -> bool:
    return "\0" in run_id or len(run_id.encode()) > _LONGEST_RUN_ID
