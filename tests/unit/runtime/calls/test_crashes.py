"""A host is killed by SIGKILL during its calls, at each boundary and at any moment; its record is consistent."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.record.sample import KEY
from tests.unit.runtime.calls.killed_callers import META
from tests.unit.runtime.tools import catalog_of, code_of, runtime_of
from toolgen.contract.records import ToolRequest
from toolgen.record.chain import ChainHead, verify_chain
from toolgen.record.sqlite import SqliteReader, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.runtime.events.records import RunRecord

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("killed_callers.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}

ENDS = {"tool_completed", "tool_failed", "tool_denied", "permission_failed"}
"""Kinds of events that end a call."""

CALLS = Counter({"ok": 8, "handler_error": 1, "permission_denied": 1, "validation_error": 1, "tool_not_available": 1,
                 "skipped": 1, "aborted": 2})  # fmt: skip
"""How the calls end if the host is not killed."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was visible outside of a host: executed writes, results by id, and heads with their runs."""

    did: list[str]
    had: dict[str, str]
    heads: list[tuple[str, str]]

    @classmethod
    def of(cls, lines: Iterable[str]) -> Seen:
        words = [line.split() for line in lines]
        return cls(
            did=[each[1] for each in words if each[0] == "did"],
            had={each[1]: each[2] for each in words if each[0] == "had"},
            heads=[(each[1], each[2]) for each in words if each[0] == "head"],
        )


STATES = 8
"""The minimum number of record states in which hosts are killed."""


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_reg_67_70_the_record_is_consistent_wherever_a_host_is_killed(tmp_path: Path, step: int) -> None:
    assert len(killed_everywhere(tmp_path, "chained", "moments", step=step)) > STATES


@pytest.mark.long  # the same statements, without those of the chain
def test_reg_67_70_a_record_without_a_chain_is_consistent_too(tmp_path: Path) -> None:
    assert len(killed_everywhere(tmp_path, "plain", "moments", step=3)) > STATES


@pytest.mark.long
@pytest.mark.parametrize("chain", ["chained", "plain"])
def test_reg_67_70_the_record_is_consistent_at_each_statement_of_the_store(tmp_path: Path, chain: str) -> None:
    assert len(killed_everywhere(tmp_path, chain, "statements")) > STATES


@pytest.mark.long
def test_reg_67_70_the_record_is_consistent_whenever_a_host_is_killed(tmp_path: Path) -> None:
    path, moments = tmp_path / "store.db", random.Random(7)
    lines: list[str] = []
    for _ in range(25):
        with subprocess.Popen(
            [sys.executable, SCRIPT, path], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
        ) as host:
            assert host.stdout is not None
            lines += [host.stdout.readline() for _ in range(moments.randrange(1, 60))]
            host.kill()
            lines += host.stdout.readlines()
        check(path, Seen.of(line for line in lines if line.endswith("\n")), is_chained=True)
    assert len(lines) > 25, "hosts had made progress when they were killed"


def killed_everywhere(folder: Path, chain: str, where: str, *, step: int = 1) -> set[str]:
    """Kill a host at each boundary, or at every n-th, and check the record left; return the states of the records."""
    subprocess.run([sys.executable, SCRIPT, folder, chain, where, str(step)], env=ENVIRONMENT, check=True)
    boundaries = range(0, step * len(list(folder.glob("*.txt"))), step)
    assert len(boundaries) > 30
    states: set[str] = set()
    seen = Seen(did=[], had={}, heads=[])
    for boundary in boundaries:
        seen = Seen.of((folder / f"{boundary}.txt").read_text().splitlines())
        states.add(check(folder / f"{boundary}.db", seen, is_chained=chain == "chained"))
    assert Counter(seen.had.values()) == CALLS, "the last one was not killed"
    assert len(seen.did) == 6
    return states


def check(path: Path, seen: Seen, *, is_chained: bool) -> str:
    """Check and continue the record of a killed host; return all calls and kinds in it."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    reader = SqliteReader(path)
    records = [reader.read(summary.run_id) for summary in reader.runs()]
    for record in records:
        check_record(record, reader)
    check_seen(records, seen)
    if is_chained:
        for record in records:
            assert verify_chain(reader.chain(record.run_id), reader.head(record.run_id), KEY) == []
        for run_id, head in seen.heads:
            assert verify_chain(reader.chain(run_id), ChainHead.parse(head), KEY) == []
    check_goes_on(path, is_chained=is_chained)
    return str(sorted((event.tool_call_id, event.kind) for record in records for event in record.events))


def check_record(record: RunRecord, reader: SqliteReader) -> None:
    """Check that ends and results match one to one, and that nothing is missing or superfluous."""
    assert [event.sequence for event in record.events] == list(range(len(record.events)))
    ends = {event.sequence: event for event in record.events if event.kind in ENDS}
    assert ends.keys() == {result.sequence for result in record.results}
    for result in record.results:
        end = ends[result.sequence]
        assert (result.tool_call_id, result.tool) == (end.tool_call_id, end.tool)
        assert result.success is (end.kind == "tool_completed")
    for kind in ("tool_started", *ENDS):
        ids = [event.tool_call_id for event in record.events if event.kind == kind]
        assert len(set(ids)) == len(ids)
    assert len({end.tool_call_id for end in ends.values()}) == len(ends)
    (summary,) = [each for each in reader.runs() if each.run_id == record.run_id]
    assert summary.events == len(record.events)
    assert summary.completed + summary.failed + summary.denied == len(record.results)


def check_seen(records: Iterable[RunRecord], seen: Seen) -> None:
    """Check that every change by a tool has a recorded start, and every returned result is recorded as returned."""
    started = {event.tool_call_id for each in records for event in each.events if event.kind == "tool_started"}
    assert set(seen.did) <= started
    results = {result.tool_call_id: result for each in records for result in each.results}
    for call_id, code in seen.had.items():
        content = results[call_id].content
        assert code == (content["error"]["code"] if "error" in content else "ok")


def check_goes_on(path: Path, *, is_chained: bool) -> None:
    """Check that the store opens and the next host continues the same run."""

    async def continue_run() -> None:
        store = SqliteStore(path, key=KEY if is_chained else None)
        call_id = f"after {sum(summary.events for summary in await store.runs())} events"
        request = ToolRequest(name="own.tool", tool_call_id=call_id)
        assert code_of(await runtime_of(catalog_of(), store=store).invoke(request, meta=META)) == "ok"
        record = await store.read("r1")
        assert [(event.tool_call_id, event.kind) for event in record.events[-2:]] == [
            (call_id, "tool_started"),
            (call_id, "tool_completed"),
        ]
        assert [event.sequence for event in record.events] == list(range(len(record.events)))
        await store.close()

    asyncio.run(continue_run())
    if is_chained:
        reader = SqliteReader(path)
        assert verify_chain(reader.chain("r1"), reader.head("r1"), KEY) == []
