"""Reading a Postgres store: runs, their events and their chains."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from toolgen.record.chain import Chain, ChainError, ChainHead, ChainLink
from toolgen.record.postgres.tables import STORE_TABLES, has_other_parts
from toolgen.record.sqlite_reader import summary_of, undamaged
from toolgen.runtime.base.postgres import PostgresDatabase, is_usable
from toolgen.runtime.events.encoding import decode_event, decode_result
from toolgen.runtime.events.records import Event, RunNotFound, RunRecord, RunSummary, StoreError

if TYPE_CHECKING:
    import psycopg

_TIMEOUT: Final = 10.0
_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_EVENTS: Final = "SELECT sequence, body, digest FROM toolgen.events WHERE run_id = %s"
EVENTS_AFTER: Final = f"{_EVENTS} AND sequence > %s ORDER BY sequence"
_RESULTS: Final = "SELECT sequence, body FROM toolgen.results WHERE run_id = %s ORDER BY sequence"
_COUNTS: Final = "began, last, events, completed, failed, denied"
_DAMAGED: Final = "the record of the run is damaged; verify it"


class PostgresReader:
    """Reads the store in a database. It may be used from any thread; each read sees a consistent state.

    All methods block, and raise `StoreError` if the database cannot be opened or read, or the record is damaged.
    Raises `StoreError` for an invalid URL, and ImportError without psycopg.
    """

    def __init__(self, url: str) -> None:
        self._database = database_at(url, timeout=_TIMEOUT)
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def is_begun(self) -> bool:
        """Whether a store was opened in the database; False for one without its tables."""
        with self._lock, self._reading() as connection:
            return STORE_TABLES.is_created(connection)

    def read(self, run_id: str) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        with self._snapshot() as connection:
            events = connection.execute(f"{_EVENTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
            results = connection.execute(_RESULTS, (run_id,), binary=True).fetchall()
        if not events:
            raise RunNotFound(run_id)
        with undamaged(_DAMAGED):
            return RunRecord(
                run_id=run_id,
                events=tuple(decode_event(run_id, sequence, body) for sequence, body, _ in events),
                results=tuple(decode_result(run_id, sequence, body) for sequence, body in results),
            )

    def events(self, run_id: str, after: int) -> list[Event]:
        """Read the events of a run after a number; a run that does not exist yet has none."""
        with self._snapshot() as connection:
            rows = connection.execute(EVENTS_AFTER, (run_id, after), binary=True).fetchall()
        return decoded(run_id, rows)

    def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        with self._snapshot() as connection:
            rows = connection.execute(f"SELECT run_id, {_COUNTS} FROM toolgen.runs ORDER BY last, run_id").fetchall()
        with undamaged("the list of runs is damaged"):
            return tuple(summary_of(*row) for row in rows)

    def chain(self, run_id: str) -> Chain:
        """Read a run as stored, for `verify`. A missing run has an empty chain."""
        with self._snapshot() as connection:
            others = has_other_parts(connection)
            events = connection.execute(f"{_EVENTS} ORDER BY sequence", (run_id,), binary=True).fetchall()
            results = connection.execute(_RESULTS, (run_id,), binary=True).fetchall()
            listed = connection.execute(f"SELECT {_COUNTS} FROM toolgen.runs WHERE run_id = %s", (run_id,)).fetchone()
        return Chain(run_id, [ChainLink(*row) for row in events], dict(results), listed, has_other_parts=others)

    def head(self, run_id: str) -> ChainHead:
        """Return the head of a run's chain. Raises `RunNotFound`, and `ChainError` for a run without a chain."""
        with self._snapshot() as connection:
            last = f"{_EVENTS} ORDER BY sequence DESC LIMIT 1"
            row = connection.execute(last, (run_id,), binary=True).fetchone()
        if row is None:
            raise RunNotFound(run_id)
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
        with self._lock, self._reading() as connection:
            connection.execute(_SNAPSHOT)
            if not STORE_TABLES.is_created(connection):
                raise StoreError("the store is empty")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Generator[psycopg.Connection[Any]]:
        """Use the connection; one that fails is dropped."""
        import psycopg

        try:
            if self._connection is None or not is_usable(self._connection):
                self._drop()
                self._connection = self._database.connect()
            yield self._connection
        except psycopg.Error as error:
            self._drop()
            raise StoreError(f"the store cannot be read: {self._database.why(error)}") from error
        except BaseException:  # also an interrupted read may leave a transaction open; raised again
            self._drop()
            raise

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def database_at(url: str, *, timeout: float) -> PostgresDatabase:
    """Return the database of a store. Raises `StoreError` for an invalid URL."""
    try:
        return PostgresDatabase(url, timeout=timeout)
    except ValueError as error:
        raise StoreError(f"the store cannot be opened: {error}") from None


def decoded(run_id: str, rows: list[Any]) -> list[Event]:
    """Decode rows of `EVENTS_AFTER`. Raises `StoreError` for a damaged one."""
    with undamaged(_DAMAGED):
        return [decode_event(run_id, sequence, body) for sequence, body, _ in rows]
