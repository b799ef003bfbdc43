"""The chain of a run: `verify_chain` detects every change of the file, and reports nothing for an unchanged one."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.unit.record.sample import KEY, denied, done, ended, one_call, progress, record, result, started, write
from tests.unit.record.verifying import verified
from toolgen.record.chain import ChainError, ChainHead, ChainKey, ChainVerdict
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime.events.encoding import format_time
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from pathlib import Path


def change(path: Path, *statements: str) -> None:
    """Change the file in a way that no store does."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, f"{statement} changes nothing"  # -1 for DROP
        connection.commit()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    record(tmp_path / "store.db")
    return tmp_path / "store.db"


def findings(path: Path, head: ChainHead, key: ChainKey = KEY) -> list[str]:
    return [finding.message for finding in verified(SqliteReader(path), "r1", head, key)]


FOLLOWS = (
    "event {} does not follow from the one before it: one of them was edited or moved, or an event between them was "
    "removed"
)


CHANGES: list[tuple[list[str], list[str]]] = [
    ([], []),
    (["UPDATE events SET body = replace(body, 'c1', 'c9') WHERE sequence = 2"], [FOLLOWS.format(2)]),
    (["UPDATE events SET digest = zeroblob(32) WHERE sequence = 2"], [FOLLOWS.format(2), FOLLOWS.format(3)]),
    (["UPDATE events SET digest = NULL WHERE sequence = 2"], [FOLLOWS.format(2), FOLLOWS.format(3)]),
    (["DELETE FROM events WHERE sequence = 2"], ["event 2 is missing", FOLLOWS.format(3)]),
    (
        ["DELETE FROM events WHERE sequence < 2"],
        ["events 0 to 1 are missing", "a result was added: event 1 has none", FOLLOWS.format(2)],
    ),
    (
        [
            "DELETE FROM events WHERE sequence = 2",
            "UPDATE events SET sequence = sequence - 1 WHERE sequence = 3",
        ],
        [
            FOLLOWS.format(2),
            "the result of event 2 is missing",
            "event 3 is missing",
            "a result was added: event 3 has none",
        ],
    ),
    (
        [
            "UPDATE events SET sequence = 99 WHERE sequence = 2",
            "UPDATE events SET sequence = 2 WHERE sequence = 4",
            "UPDATE events SET sequence = 4 WHERE sequence = 99",
        ],
        [FOLLOWS.format(2), FOLLOWS.format(3), FOLLOWS.format(4), FOLLOWS.format(5)],
    ),
    (["DELETE FROM results WHERE sequence = 3"], ["the result of event 3 is missing"]),
    (
        ["UPDATE results SET body = replace(body, 'true', 'false') WHERE sequence = 3"],
        ["the result of event 3 was edited"],
    ),
    (
        ["INSERT INTO results SELECT run_id, 2, body FROM results WHERE sequence = 3"],
        ["a result was added: event 2 has none"],
    ),
    (
        ["DELETE FROM events WHERE sequence > 3", "DELETE FROM results WHERE sequence > 3"],
        ["the end was truncated: the record has 4 events, and the head 6"],
    ),
    (
        ["DELETE FROM events", "DELETE FROM results"],
        ["the end was truncated: the record has 0 events, and the head 6"],
    ),
]
"""Statements that change the record of three calls, and what `verify_chain` finds."""


@pytest.mark.parametrize(("statements", "expected"), CHANGES)
def test_every_change_is_detected_and_described(path: Path, statements: list[str], expected: list[str]) -> None:
    head = SqliteReader(path).head("r1")
    change(path, *statements)
    assert findings(path, head) == expected


def test_a_run_replaced_by_another_is_detected(path: Path) -> None:
    record(path, run="r2")
    head = SqliteReader(path).head("r1")
    change(
        path,
        "DELETE FROM events WHERE run_id = 'r1'",
        "DELETE FROM results WHERE run_id = 'r1'",
        "UPDATE events SET run_id = 'r1' WHERE run_id = 'r2'",
        "UPDATE results SET run_id = 'r1' WHERE run_id = 'r2'",
    )
    assert findings(path, head) == [
        "event 0 is not the first event of this run: it was edited, or an event before it was removed",
        "event 5 is not the one of the head",
    ]


def test_a_rewritten_end_is_detected_with_the_head(path: Path) -> None:
    head = SqliteReader(path).head("r1")
    change(
        path,
        "DELETE FROM events WHERE sequence > 3",
        "DELETE FROM results WHERE sequence > 3",
    )
    record(path, 5)
    assert findings(path, head) == ["event 5 is not the one of the head"]


def test_a_run_can_continue_after_its_head(path: Path) -> None:
    head = SqliteReader(path).head("r1")
    record(path)
    assert findings(path, head) == []
    change(path, "UPDATE events SET body = body || ' ' WHERE sequence = 9")
    assert findings(path, head) == [FOLLOWS.format(9)]


OTHER = ChainKey(b"another key that is long enough, or so")


def verdicts(path: Path, head: ChainHead, key: ChainKey = KEY) -> list[ChainVerdict]:
    return [finding.verdict for finding in verified(SqliteReader(path), "r1", head, key)]


def test_another_key_is_distinguished_from_tampering(path: Path) -> None:
    head = SqliteReader(path).head("r1")
    assert findings(path, head, OTHER) == [
        "no event follows under this key: the run was recorded with another key, or all of it was replaced"
    ]
    assert verdicts(path, head, OTHER) == [ChainVerdict.OTHER_KEY]
    change(path, "UPDATE results SET body = replace(body, 'true', 'false') WHERE sequence = 3")
    assert verdicts(path, head, OTHER) == [ChainVerdict.TAMPERED, ChainVerdict.OTHER_KEY], (
        "this is detected without the key"
    )


def test_a_run_without_a_chain_is_distinguished_from_tampering(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"

    async def run() -> None:
        store = SqliteStore(path)
        await one_call(store)
        await store.close()

    asyncio.run(run())
    head = ChainHead(2, "ab" * 32)
    assert findings(path, head) == [
        "no event has a digest: the run was recorded without a key, or its digests were removed"
    ]
    assert verdicts(path, head) == [ChainVerdict.NO_CHAIN]
    change(path, "DELETE FROM results")
    assert verdicts(path, head) == [ChainVerdict.TAMPERED, ChainVerdict.NO_CHAIN], "this is detected without a chain"


LISTED = "the list of runs was edited: `{}` is not what the events say ({})"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (
            ["INSERT INTO events SELECT run_id, 1.5, body, digest FROM events WHERE sequence = 1"],
            ["a row was added that stores do not write: an event numbered 1.5"],
        ),
        (
            ["UPDATE events SET sequence = 2.5 WHERE sequence = 2"],
            [
                "event 2 is missing",
                FOLLOWS.format(3),
                "a row was added that stores do not write: an event numbered 2.5",
            ],
        ),
        (
            ["INSERT INTO events SELECT run_id, CAST('5' AS BLOB), body, digest FROM events WHERE sequence = 5"],
            ["a row was added that stores do not write: an event numbered 5"],
        ),
        (
            ["INSERT INTO events SELECT run_id, 'x' || char(10), body, digest FROM events WHERE sequence = 5"],
            ["a row was added that stores do not write: an event numbered x\\n"],
        ),
        (
            ["INSERT INTO results SELECT run_id, 2.5, body FROM results WHERE sequence = 3"],
            ["a row was added that stores do not write: a result numbered 2.5"],
        ),
        (["DELETE FROM runs"], ["the run is missing from the list of runs"]),
        (["DROP TABLE runs"], ["the run is missing from the list of runs"]),
        (["UPDATE runs SET completed = 9"], [LISTED.format("completed", 3)]),
        (["UPDATE runs SET failed = '1x'"], [LISTED.format("failed", 0)]),
        (["UPDATE runs SET events = 6.5"], [LISTED.format("events", 6)]),
        (["UPDATE runs SET denied = x'00'"], [LISTED.format("denied", 0)]),
        (
            ["DELETE FROM events", "DELETE FROM results"],
            [
                "the end was truncated: the record has 0 events, and the head 6",
            ],
        ),
    ],
)
def test_rows_that_no_store_writes_are_detected(path: Path, statements: list[str], expected: list[str]) -> None:
    head = SqliteReader(path).head("r1")
    change(path, *statements)
    assert findings(path, head) == expected


@pytest.mark.parametrize(
    "statements",
    [
        [
            "ALTER TABLE results RENAME TO old",
            "CREATE TABLE results AS SELECT run_id, sequence, replace(body, 'true', 'false') AS body FROM old",
            "INSERT INTO results SELECT * FROM old",
        ],
        [
            "ALTER TABLE runs RENAME TO old",
            "CREATE TABLE runs AS SELECT * FROM old",
            "INSERT INTO runs SELECT * FROM old",
        ],
        ["CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM results; END"],
        ["CREATE INDEX i ON events (body)"],
    ],
)
def test_tables_that_no_store_creates_are_detected(path: Path, statements: list[str]) -> None:
    head = SqliteReader(path).head("r1")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join(statements))
    expected = ["the store was changed: it has tables, views, indexes or triggers that stores do not create"]
    assert findings(path, head) == expected


@pytest.mark.parametrize("column", ["began", "last"])
def test_the_times_in_the_list_of_runs_match_the_events(path: Path, column: str) -> None:
    head = SqliteReader(path).head("r1")
    at = SqliteReader(path).read("r1").events[0 if column == "began" else -1].at
    change(path, f"UPDATE runs SET {column} = '2020-01-01T00:00:00.000000Z'")
    assert findings(path, head) == [LISTED.format(column, format_time(at))]


def test_a_clock_that_goes_back_keeps_the_list_of_runs_valid(tmp_path: Path) -> None:
    path = tmp_path / "back.db"
    seconds = iter([50, 10, 40, 20])

    async def run() -> None:
        store = SqliteStore(path, key=KEY, clock=lambda: datetime.fromtimestamp(next(seconds), UTC))
        await asyncio.gather(one_call(store, "c1"), one_call(store, "c2"))
        await store.close()

    asyncio.run(run())
    (listed,) = SqliteReader(path).runs()
    assert (listed.began.second, listed.last.second) == (50, 50)
    assert findings(path, SqliteReader(path).head("r1")) == []


def test_a_chain_follows_its_documented_algorithm(tmp_path: Path) -> None:
    """HMAC-SHA256 over the previous digest and the canonical JSON, so that other programs can verify it."""
    path = tmp_path / "store.db"
    record(path, 1)
    key = b"a key that is only known to tests"
    chain = SqliteReader(path).chain("r1")
    digest = hmac.digest(key, b"toolgen run\0r1", "sha256")
    for link in chain.links:
        digest = hmac.digest(key, digest + link.body, "sha256")
        assert link.digest == digest
        assert canonical(json.loads(link.body)) == link.body
    assert hashlib.sha256(chain.results[1]).hexdigest().encode() in chain.links[1].body


@pytest.mark.parametrize("text", ["", "6", "6:", "0:" + "0" * 64, "6:" + "0" * 63, "6:" + "G" * 64, "-6:" + "0" * 64])
def test_invalid_heads(text: str) -> None:
    with pytest.raises(ChainError, match="a head has the form LENGTH:DIGEST"):
        ChainHead.parse(text)


def test_a_head_reads_back_equal() -> None:
    head = ChainHead(6, "ab" * 32)
    assert ChainHead.parse(f" {head}\n") == head


def test_keys_are_read_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "0123456789abcdef" * 4
    file = tmp_path / "key"
    file.write_text(f"{text}\n")
    monkeypatch.setenv("LOG_KEY", text)
    keys = (ChainKey.from_file(file), ChainKey.from_environment("LOG_KEY"), ChainKey(text.encode()))
    assert len({key.first("r1") for key in keys}) == 1
    assert all(text not in f"{key!r} {key}" for key in keys)

    with pytest.raises(ChainError, match="the key has 5 bytes, but needs at least 32"):
        ChainKey(b"short")
    with pytest.raises(ChainError, match="the key file cannot be read: No such file or directory"):
        ChainKey.from_file(tmp_path / "none")
    with pytest.raises(ChainError, match="the environment has no variable NO_KEY"):
        ChainKey.from_environment("NO_KEY")


def test_every_kind_of_event_is_chained(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def run() -> None:
        store = SqliteStore(path, key=KEY)
        await write(store, started(), progress(line="x"))
        await done(store.finish(ended("tool_denied", secrets=((), ())), denied()))
        await done(store.finish(ended(), replace(result(), metadata={"bounded": {"truncated": True}})))
        await store.close()

    asyncio.run(run())
    assert findings(path, SqliteReader(path).head("r1")) == []
