"""The calls of a run, assembled from its events and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.events.encoding import COUNTED_AS
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from toolgen.runtime.events.records import Event, RunRecord, StoredResult

_LONGEST_US: Final = 3e16


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


def stages_of(event: Event) -> Iterable[RecordedStage]:
    """Return the stages in the data of an event: `{"stages": [{"stage", "decision"?, "us"?}]}`."""
    stages = event.data.get("stages")
    if is_array(stages):
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
