"""Writing to a Postgres store: one group of writes per transaction, in two round trips however many runs it has.

The writers of a run take turns by an advisory lock, held until the commit: so a run has one sequence and one chain,
whoever writes. All locks of a group are taken in one order, so writers never wait for each other in a circle.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.record.postgres.tables import STORE_TABLES, channel_of, has_other_parts, lock_of
from toolgen.record.writing.run_ends import RunEnds
from toolgen.record.writing.writes import ended_counts, refuse
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    import psycopg

    from toolgen.record.chain import ChainKey
    from toolgen.record.writing.run_ends import End
    from toolgen.record.writing.writes import Group, Write
    from toolgen.runtime.base.postgres import PostgresDatabase

_RETRY_SECONDS: Final = 0.05

_LOCK: Final = "SELECT pg_advisory_xact_lock(lock) FROM unnest(%b::bigint[]) AS lock"
_ENDS: Final = """
SELECT last.sequence, last.digest, at_known.sequence, at_known.digest,
  CASE WHEN last.sequence <> runs.known THEN last.body END, before.sequence, before.digest
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
        self._connection: psycopg.Connection[Any] | None = None
        self._unsure: tuple[_Row, dict[str, End | None]] | None = None
        try:
            self._connected()
        except psycopg.Error as error:
            raise StoreError(f"the store cannot be opened: {database.why(error)}") from error

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

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            connection = self._database.connect()
            try:
                connection.execute("SELECT set_config('lock_timeout', %s, false)", (str(round(self._timeout * 1000)),))
                STORE_TABLES.create(connection)
                if has_other_parts(connection):
                    raise StoreError("the store has other columns, triggers, rules or policies than toolgen creates")
            except BaseException:  # also an interrupted start closes its connection; raised again
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _write(self, runs: dict[str, list[Write]]) -> dict[str, End | None]:
        connection = self._connected()
        names = list(runs)
        with connection.pipeline():
            connection.execute("BEGIN")
            connection.execute(_LOCK, (sorted({lock_of(name) for name in names}),))
            known = [self._ends.known_number(name) for name in names]
            stored = connection.execute(_ENDS, (names, known), binary=True).fetchall()
            if self._unsure is not None and self._is_written(connection, self._unsure[0]):
                connection.execute("ROLLBACK")
                return self._unsure[1]
            rows, ends = self._continued(runs, [_Stored(*row) for row in stored])
            if rows:
                self._unsure = (rows[0][0], ends)
                self._insert(connection, rows)
            connection.execute("COMMIT")
            connection.execute(_NOTIFY, ([channel_of(name) for name, end in ends.items() if end is not None],))
        return ends

    def _is_written(self, connection: psycopg.Connection[Any], row: _Row) -> bool:
        """Whether an earlier attempt to write this group was committed. Its session has ended: its locks are free."""
        return connection.execute(_IS_WRITTEN, row[:3]).fetchone() is not None

    def _continued(
        self, runs: dict[str, list[Write]], stored: list[_Stored]
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
            for write in writes:
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

    The body of the last event is only there if it is not the one that this writer knows.
    """

    sequence: int | None
    digest: bytes | None
    known_sequence: int | None
    known_digest: bytes | None
    body: bytes | None
    sequence_before: int | None
    digest_before: bytes | None

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
