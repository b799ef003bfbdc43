"""A writer is killed by SIGKILL: at each statement of its store, and at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.unit.record.sample import KEY, one_call
from toolgen.record.chain import verify_chain
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime.events.records import RunNotFound

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("killed_writers.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}

BOUNDARIES = 50
"""Statements of the first calls: one alone, then three together, and again."""


def test_reg_70_event_and_result_are_stored_together_at_each_boundary(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SCRIPT, tmp_path, "0", str(BOUNDARIES)], env=ENVIRONMENT, check=True)
    lengths: set[int] = set()
    for boundary in range(BOUNDARIES):
        path = tmp_path / f"{boundary}.db"
        written = check(path)
        durable = [tuple(line.split()) for line in (tmp_path / f"{boundary}.txt").read_text().splitlines()]
        assert set(durable) <= set(written), f"durable calls are missing after a kill at statement {boundary}"
        lengths.add(len(written))
    assert len(lengths) > 5


@pytest.mark.parametrize("calls", [1, 7, 20])
@pytest.mark.variants(1)
def test_reg_70_a_writer_killed_at_any_moment(tmp_path: Path, calls: int) -> None:
    path = tmp_path / "store.db"
    for attempt in range(2):
        with subprocess.Popen(
            [sys.executable, SCRIPT, path], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline() for _ in range(calls)]
            writer.kill()
        assert lines[-1] == f"{calls - 1}\n"
        assert len(check(path)) >= calls * 2 * (attempt + 1)


def check(path: Path) -> list[tuple[str, str]]:
    """Check and continue the store of a killed writer; return the calls and kinds of its events."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    reader = SqliteReader(path)
    try:
        record = reader.read("r1")
        events = record.events
        assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []
        ends = [event.sequence for event in events if event.kind == "tool_completed"]
        assert ends == [result.sequence for result in record.results]
        assert reader.runs()[0].events == len(events)
        assert reader.runs()[0].completed == len(record.results)
    except RunNotFound:
        events = ()
        assert reader.runs() == ()
        assert reader.chain("r1").results == {}
    asyncio.run(continue_run(path))
    assert len(reader.read("r1").events) == len(events) + 2
    assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []
    return [(event.tool_call_id, event.kind) for event in events]


async def continue_run(path: Path) -> None:
    store = SqliteStore(path, key=KEY)
    await one_call(store, "after")
    await store.close()


def test_pending_writes_are_completed_when_the_process_ends(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from tests.unit.record.sample import ended, result, started\n"
        "from toolgen.record.sqlite import SqliteStore\n"
        "store = SqliteStore(Path(sys.argv[1]))\n"
        "store.append(started()); store.finish(ended(), result())\n"
    )
    path = tmp_path / "store.db"
    subprocess.run([sys.executable, "-c", script, path], env=ENVIRONMENT, check=True)
    record = SqliteReader(path).read("r1")
    assert [event.kind for event in record.events] == ["tool_started", "tool_completed"]
    assert json.dumps(dict(record.results[0].content)) == '{"value": {"refunded": true}}'
