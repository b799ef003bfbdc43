"""`verify_chain` detects every sequence of changes to the file of a store, and reports nothing for an unchanged one."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.unit.record.sample import KEY, record
from tests.unit.record.verifying import verified
from toolgen.record.sqlite import SqliteReader

MOST = 40
NUMBERS = st.integers(0, 12)


class Tampering(RuleBasedStateMachine):
    """Changes of a run by someone with the file but without the key, in any order.

    The record is intact exactly if it contains the beginning of the written events, at least up to the head, if the
    entry in the list of runs matches it, and if there are no other rows of the run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.path = Path(self.folder.name) / "store.db"

    @initialize(calls=st.integers(1, 4))
    def begin(self, calls: int) -> None:
        record(self.path, calls)
        record(self.path, 2, "r2")
        self.head = SqliteReader(self.path).head("r1")
        self.written = self.state()
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")

    def teardown(self) -> None:
        if hasattr(self, "connection"):
            self.connection.close()
        self.folder.cleanup()

    def listed(self, events: list[Any], results: dict[int, bytes]) -> tuple[Any, ...]:
        """Return the expected row in the list of runs. All calls of a sample succeed."""
        at = [json.loads(body)["at"] for _, body, _ in events]
        return (at[0], max(at), len(events), len(results), 0, 0)

    def has_forged_rows(self) -> bool:
        counted = "SELECT count(*) FROM {} WHERE run_id = 'r1' AND typeof(sequence) != 'integer'"
        return any(self.rows(counted.format(table))[0][0] for table in ("events", "results"))

    def is_listed(self, events: list[Any], results: dict[int, bytes]) -> bool:
        columns = "began, last, events, completed, failed, denied"
        rows = self.rows(f"SELECT {columns} FROM runs WHERE run_id = 'r1'")
        return rows == ([self.listed(events, results)] if events else [])

    def state(self) -> tuple[list[Any], dict[int, bytes]]:
        chain = SqliteReader(self.path).chain("r1")
        return [(link.sequence, link.body, link.digest) for link in chain.links], dict(chain.results)

    def is_intact(self) -> bool:
        events, results = self.state()
        written, written_results = self.written
        covered = {number: body for number, body in written_results.items() if number < len(events)}
        if len(events) < self.head.length or events != written[: len(events)] or results != covered:
            return False
        return not self.has_forged_rows() and self.is_listed(events, results)

    def place(self, number: int) -> int:
        """Return the number of an existing event, or 0."""
        sequences = [sequence for sequence, _, _ in self.state()[0]]
        return sequences[number % len(sequences)] if sequences else 0

    def do(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, values)

    def rows(self, statement: str, *values: Any) -> list[Any]:
        return self.connection.execute(statement, values).fetchall()

    @precondition(lambda self: self.is_intact())
    @rule(calls=st.integers(1, 2), take_head=st.booleans())
    def continue_run(self, calls: int, take_head: bool) -> None:
        record(self.path, calls)
        self.written = self.state()
        if take_head:
            self.head = SqliteReader(self.path).head("r1")

    @rule(number=NUMBERS, byte=st.integers(0, 500), to=st.integers(0, 255))
    def edit_a_byte(self, number: int, byte: int, to: int) -> None:
        at = self.place(number)
        for row in self.rows("SELECT body FROM events WHERE run_id = 'r1' AND sequence = ?", at):
            edited = bytearray(row[0])
            if edited:
                edited[byte % len(edited)] = to
            self.do("UPDATE events SET body = ? WHERE run_id = 'r1' AND sequence = ?", bytes(edited), at)

    @rule(number=NUMBERS, value=st.none() | st.integers(0, 9) | st.text(max_size=3) | st.binary(max_size=40))
    def edit_a_digest(self, number: int, value: Any) -> None:
        self.do("UPDATE events SET digest = ? WHERE run_id = 'r1' AND sequence = ?", value, self.place(number))

    @rule(number=NUMBERS)
    def remove(self, number: int) -> None:
        self.do("DELETE FROM events WHERE run_id = 'r1' AND sequence = ?", self.place(number))

    @rule(number=NUMBERS)
    def remove_and_close_the_gap(self, number: int) -> None:
        at = self.place(number)
        self.do("DELETE FROM events WHERE run_id = 'r1' AND sequence = ?", at)
        self.do("DELETE FROM results WHERE run_id = 'r1' AND sequence = ?", at)
        for later in range(at + 1, MOST):
            self.do("UPDATE events SET sequence = ? WHERE run_id = 'r1' AND sequence = ?", later - 1, later)
            self.do("UPDATE results SET sequence = ? WHERE run_id = 'r1' AND sequence = ?", later - 1, later)

    @rule(length=st.integers(0, 10), lists_it=st.booleans())
    def cut_the_end(self, length: int, lists_it: bool) -> None:
        self.do("DELETE FROM events WHERE run_id = 'r1' AND sequence >= ?", length)
        self.do("DELETE FROM results WHERE run_id = 'r1' AND sequence >= ?", length)
        if lists_it and self.is_damaged_nowhere():
            events, results = self.state()
            columns = "began = ?, last = ?, events = ?, completed = ?, failed = ?, denied = ?"
            self.do(f"UPDATE runs SET {columns} WHERE run_id = 'r1'", *self.listed(events, results))

    def is_damaged_nowhere(self) -> bool:
        events = self.state()[0]
        return bool(events) and events == self.written[0][: len(events)]

    @rule(number=NUMBERS, to=st.sampled_from([0.5, "x", b"1", -0.5]), table=st.sampled_from(["events", "results"]))
    def renumber_with_another_type(self, number: int, to: Any, table: str) -> None:
        self.do(f"UPDATE OR IGNORE {table} SET sequence = ? WHERE run_id = 'r1' AND sequence = ?", to, number)

    @rule(number=NUMBERS, to=st.floats(0, 9).filter(lambda x: not x.is_integer()) | st.sampled_from(["y", b"2"]))
    def add_a_row_with_another_type(self, number: int, to: Any) -> None:
        copy = "SELECT run_id, ?, body, digest FROM events WHERE run_id = 'r1' AND sequence = ?"
        self.do(f"INSERT OR REPLACE INTO events {copy}", to, self.place(number))

    @rule(
        column=st.sampled_from(["began", "last", "events", "completed", "failed", "denied"]),
        value=st.integers(0, 9) | st.floats(0, 9) | st.text(max_size=3) | st.binary(max_size=3),
    )
    def edit_the_list(self, column: str, value: Any) -> None:
        self.do(f"UPDATE runs SET {column} = ? WHERE run_id = 'r1'", value)

    @rule()
    def remove_from_the_list(self) -> None:
        self.do("DELETE FROM runs WHERE run_id = 'r1'")

    @rule(one=NUMBERS, other=NUMBERS)
    def swap(self, one: int, other: int) -> None:
        first, second = self.place(one), self.place(other)
        for sequence, now in ((first, 9999), (second, first), (9999, second)):
            self.do("UPDATE events SET sequence = ? WHERE run_id = 'r1' AND sequence = ?", now, sequence)

    @rule(one=NUMBERS, other=NUMBERS)
    def copy_a_text(self, one: int, other: int) -> None:
        """Copy the text of one event to another, keeping its digest."""
        for row in self.rows("SELECT body FROM events WHERE run_id = 'r1' AND sequence = ?", self.place(one)):
            self.do("UPDATE events SET body = ? WHERE run_id = 'r1' AND sequence = ?", row[0], self.place(other))

    @rule(number=NUMBERS, by=st.sampled_from([-100, 100]))
    def renumber(self, number: int, by: int) -> None:
        at = self.place(number)
        self.do("UPDATE OR IGNORE events SET sequence = ? WHERE run_id = 'r1' AND sequence = ?", at + by, at)

    @rule(number=st.integers(0, 3))
    def copy_from_another_run(self, number: int) -> None:
        copy = "SELECT 'r1', sequence, body, digest FROM events WHERE run_id = 'r2' AND sequence = ?"
        for row in self.rows(copy, number):
            self.do("INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?)", *row)

    @rule(number=NUMBERS, body=st.sampled_from([b"{}", b'{"result":1}', b"[", b""]))
    def add_an_event(self, number: int, body: bytes) -> None:
        self.do("INSERT OR REPLACE INTO events VALUES ('r1', ?, ?, zeroblob(32))", number, body)

    @rule(number=NUMBERS, body=st.sampled_from([b"{}", b""]))
    def put_a_result(self, number: int, body: bytes) -> None:
        self.do("INSERT OR REPLACE INTO results VALUES ('r1', ?, ?)", number, body)

    @rule(number=NUMBERS)
    def remove_a_result(self, number: int) -> None:
        self.do("DELETE FROM results WHERE run_id = 'r1' AND sequence = ?", number)

    @invariant()
    def exactly_tampering_is_found(self) -> None:
        if hasattr(self, "connection"):
            found = verified(SqliteReader(self.path), "r1", self.head, KEY)
            assert (found == []) == self.is_intact(), found


TestTampering = Tampering.TestCase
TestTampering.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


@pytest.mark.long
def test_every_sequence_of_changes_is_detected() -> None:
    run_state_machine_as_test(Tampering, settings=settings(max_examples=500, stateful_step_count=25, deadline=None))
