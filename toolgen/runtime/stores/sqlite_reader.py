"""Reading a SQLite store: runs, what they hold, and their chains. Beside a writer, in this process or another."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.runtime.stores.chain import Chain, ChainError, Head, Link
from toolgen.runtime.stores.encoding import decode_event, decode_result
from toolgen.runtime.stores.records import Event, RunNotFound, RunRecord, RunSummary, StoreError
from toolgen.runtime.stores.sqlite_file import STORE_FILE

if TYPE_CHECKING:
    from collections.abc import Generator


class SqliteReader:
    """Reads the store in a file. It may be used from any thread; each read sees one state of the file.

    All methods block, and raise `StoreError` where the file cannot be opened or read.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def read(self, run_id: str) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        events, results = self._rows(run_id)
        if not events:
            raise RunNotFound(run_id)
        try:
            return RunRecord(
                run_id=run_id,
                events=tuple(decode_event(run_id, sequence, body) for sequence, body, _ in events),
                results=tuple(decode_result(run_id, sequence, body) for sequence, body in results),
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError("the record of the run is damaged; verify it") from error

    def events(self, run_id: str, after: int) -> list[Event]:
        """Read the events of a run after a number; a run that is not there yet has none."""
        rows = self._all(
            "SELECT sequence, CAST(body AS BLOB) FROM events WHERE run_id = ? AND sequence > ? ORDER BY sequence",
            run_id,
            after,
        )
        try:
            return [decode_event(run_id, sequence, body) for sequence, body in rows]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError("the record of the run is damaged; verify it") from error

    def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        rows = self._all(
            "SELECT run_id, began, last, events, completed, failed, denied FROM runs ORDER BY last, run_id"
        )
        try:
            return tuple(_summary(*row) for row in rows)
        except (ValueError, TypeError) as error:
            raise StoreError("the list of runs is damaged") from error

    def chain(self, run_id: str) -> Chain:
        """Read a run as it lies there, for `verify`. A run that is not there has an empty chain."""
        events, results = self._rows(run_id)
        links = [Link(sequence, body or b"", digest or b"") for sequence, body, digest in events]
        return Chain(run_id, links, {sequence: body or b"" for sequence, body in results})

    def head(self, run_id: str) -> Head:
        """Give the head of a run's chain. Raises `RunNotFound`, and `ChainError` for a run without a chain."""
        rows = self._all(
            "SELECT CAST(sequence AS INTEGER), CAST(digest AS BLOB) FROM events WHERE run_id = ?"
            " ORDER BY sequence DESC LIMIT 1",
            run_id,
        )
        if not rows:
            raise RunNotFound(run_id)
        sequence, digest = rows[0]
        if digest is None:
            raise ChainError("the run has no chain: it was written without a key")
        return Head(sequence + 1, digest.hex())

    def _rows(self, run_id: str) -> tuple[list[Any], list[Any]]:
        """The rows of a run, of the types they should have: whoever can edit a file can give them any."""
        with self._reading() as connection:
            connection.execute("BEGIN")
            events = connection.execute(
                "SELECT CAST(sequence AS INTEGER), CAST(body AS BLOB), CAST(digest AS BLOB)"
                " FROM events WHERE run_id = ? ORDER BY 1",
                (run_id,),
            ).fetchall()
            results = connection.execute(
                "SELECT CAST(sequence AS INTEGER), CAST(body AS BLOB) FROM results WHERE run_id = ? ORDER BY 1",
                (run_id,),
            ).fetchall()
        return events, results

    def _all(self, statement: str, *values: Any) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with closing(STORE_FILE.open_for_reading(self._path)) as connection:
            try:
                yield connection
            except sqlite3.Error as error:
                raise StoreError(f"the store cannot be read: {error}") from error


def _summary(run_id: str, began: str, last: str, events: int, completed: int, failed: int, denied: int) -> RunSummary:
    return RunSummary(
        run_id=run_id,
        began=datetime.fromisoformat(began),
        last=datetime.fromisoformat(last),
        events=events,
        completed=completed,
        failed=failed,
        denied=denied,
    )
