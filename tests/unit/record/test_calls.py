"""Recorded calls: when they were requested, and what they waited before they started."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.unit.record.sample import TOOL
from toolgen.record.calls import RecordedCall
from toolgen.runtime.events.records import Event, StoredResult

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
STAGES: Any = [
    {"stage": "decode", "us": 1_000},
    {"stage": "permission", "decision": "allow_once", "us": 4_000_000},
    {"stage": "record", "us": 7},
    {"stage": "execute", "us": 3_000},
    {"stage": "encode", "us": 5},
]


def call(*kinds: str, at: datetime = NOON, stages: Any = STAGES, has_ended: bool = True) -> RecordedCall:
    """Return a call with events of these kinds, a second apart; the last one has the stages."""
    events = tuple(
        Event(
            run_id="r1",
            sequence=number,
            kind=kind,
            tool=TOOL,
            tool_call_id="c1",
            at=at + timedelta(seconds=number),
            data={"stages": stages} if has_ended and number == len(kinds) - 1 else {},
        )
        for number, kind in enumerate(kinds)
    )
    end = StoredResult(run_id="r1", sequence=1, tool=TOOL, tool_call_id="c1", success=True, content={})
    return RecordedCall(tool=TOOL, tool_call_id="c1", events=events, result=end if has_ended else None)


def test_what_a_call_waited_for_an_answer_is_before_its_first_event() -> None:
    found = call("tool_started", "tool_progress", "tool_completed")
    assert (found.waited_us, found.duration_us) == (4_001_000, 2_000_000)
    assert found.requested_at == NOON - timedelta(microseconds=4_001_000)


def test_the_duration_of_a_call_that_did_not_start_has_what_it_waited() -> None:
    found = call("tool_denied", stages=STAGES[:2])
    assert (found.waited_us, found.duration_us) == (0, 4_001_000)
    assert found.requested_at == NOON - timedelta(microseconds=4_001_000)


def test_a_call_that_runs_or_was_started_twice_has_no_known_wait() -> None:
    running = call("tool_started", "tool_progress", has_ended=False)
    assert (running.waited_us, running.requested_at) == (0, NOON)
    twice = call("tool_started", "tool_started", "tool_completed")
    assert (twice.waited_us, twice.requested_at) == (0, NOON)


def test_an_edited_time_has_no_time_before_it() -> None:
    found = call("tool_started", "tool_completed", at=datetime.min.replace(tzinfo=UTC))
    assert found.requested_at == datetime.min.replace(tzinfo=UTC)
