"""The calls of a run, assembled from its events and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.events.encoding import COUNTED_AS
from toolgen.runtime.events.records import EventKind
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.runtime.events.records import Event, RunRecord, StoredResult

_LONGEST_US: Final = 3e16

_FROM_START: Final = frozenset({"record", "execute", "encode"})
"""Stages of a call from the event of its start on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStage:
    """The decision of one stage of a call, and its duration in microseconds."""

    stage: str
    decision: str
    us: int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call: its events and its result. `result` is None while it runs, or if its host stopped during the call."""

    tool: str
    tool_call_id: str
    events: tuple[Event, ...]
    result: StoredResult | None

    @property
    def state(self) -> str:
        """One of `running`, `completed`, `failed` and `denied`."""
        return "running" if self.result is None else COUNTED_AS.get(self.events[-1].kind, "failed")

    @property
    def duration_us(self) -> int | None:
        """Microseconds from its first event to its end; for a call that did not start, the duration of its stages."""
        if self.result is None:
            return None
        if len(self.events) == 1:
            return round(sum(stage.us for stage in self.stages))
        taken = self.events[-1].at - self.events[0].at
        return round(taken.total_seconds() * 1_000_000)

    @property
    def waited_us(self) -> int:
        """Microseconds from its request to its first event: it waited for an answer to a question, or for a limit.

        0 for a call that did not start, whose duration has them, and for one that runs, of which it is not known.
        """
        starts = [event.kind == EventKind.TOOL_STARTED for event in self.events]
        return waited_us(self.stages) if starts[0] and sum(starts) == 1 else 0

    @property
    def requested_at(self) -> datetime:
        """When the call was requested, as far as its stages say it: before its first event."""
        first, *others = self.events
        us = self.waited_us if others else self.duration_us or 0
        try:
            return first.at - timedelta(microseconds=us)
        except OverflowError:  # an edited time
            return first.at

    @property
    def stages(self) -> tuple[RecordedStage, ...]:
        """Its stages, from the data of its events."""
        return tuple(stage for event in self.events for stage in stages_of(event))


def calls_of(run: RunRecord) -> tuple[RecordedCall, ...]:
    """Return the calls of a run, ordered by their first events.

    An id that is reused after its result is another call.
    """
    results = {result.sequence: result for result in run.results}
    calls: list[list[Event]] = []
    ends: list[StoredResult | None] = []
    going_on: dict[str, int] = {}
    for event in run.events:
        if not event.tool_call_id:
            continue
        at = going_on.get(event.tool_call_id)
        if at is None:
            at = going_on[event.tool_call_id] = len(calls)
            calls.append([])
            ends.append(None)
        calls[at].append(event)
        if event.sequence in results:
            ends[at] = results[event.sequence]
            del going_on[event.tool_call_id]
    return tuple(
        RecordedCall(tool=events[0].tool, tool_call_id=events[0].tool_call_id, events=tuple(events), result=end)
        for events, end in zip(calls, ends, strict=True)
    )


def caller_of(event: Event) -> tuple[str | None, str | None]:
    """Return the user and the agent that an event of the runtime names; only the first one of a call does."""
    user, agent = event.data.get("user"), event.data.get("agent")
    if event.is_reported:
        return None, None
    return user if isinstance(user, str) else None, agent if isinstance(agent, str) else None


def waited_us(stages: Iterable[RecordedStage]) -> int:
    """Return the microseconds that the stages of a call took before the event of its start."""
    return round(sum(stage.us for stage in takewhile(lambda each: each.stage not in _FROM_START, stages)))


def stages_of(event: Event) -> Iterable[RecordedStage]:
    """Return the stages in the data of an event of the runtime: `{"stages": [{"stage", "decision"?, "us"?}]}`."""
    stages = event.data.get("stages")
    if is_array(stages) and not event.is_reported:
        for stage in stages:
            if is_object(stage):
                yield RecordedStage(
                    stage=_text_field(stage, "stage"), decision=_text_field(stage, "decision"), us=_number(stage, "us")
                )


def _text_field(stage: dict[str, Any], key: str) -> str:
    value = stage.get(key)
    return value if isinstance(value, str) else ""


def _number(stage: dict[str, Any], key: str) -> int | float:
    """Return a number of microseconds; 0 if it was edited to be invalid or more than a thousand years."""
    value = stage.get(key)
    return value if isinstance(value, int | float) and 0 <= value < _LONGEST_US else 0
