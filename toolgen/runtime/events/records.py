"""The records of a store: events, final results, and runs; and the protocol of stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter_ns as now
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from toolgen.contract.picklable import Picklable
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.contract.records import ToolResult


# The protocol of stores.


class CallOutcome(StrEnum):
    """How calls end: the fields of `RunSummary` that count them."""

    COMPLETED = "completed"
    FAILED = "failed"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs are listed: those that fit all of it.

    They have a call with this `outcome`, an event at `since` or later, an event before `until`, and `part` in their id.
    Their first event names this `user`; later ones may name others.
    """

    outcome: CallOutcome | None = None
    since: datetime | None = None
    until: datetime | None = None
    part: str = ""
    user: str | None = None


EVERY_RUN: Final = RunFilter()

# Artifacts: results that are too large to be shown, stored elsewhere under a ref.


class ArtifactStore(Protocol):
    """Stores bytes. Its methods block, and are called in a thread."""

    def put(self, data: bytes, media_type: str, /) -> str:
        """Store bytes and return their ref; equal bytes have the same ref. Raises `ArtifactError`."""
        ...


class Store(Protocol):
    """Stores the events and results of runs.

    Secrets are redacted before they are stored: by name, by format, and by the event's `secrets`. Writes of one run
    keep their order. A write that takes time returns an awaitable, which completes when it is durable, or raises
    `StoreError`; the write happens even if it is not awaited. Data that is not JSON raises ValueError or TypeError
    immediately.
    """

    def append(self, event: NewEvent, /) -> Awaitable[None] | None:
        """Write an event. The end of a run is not written if it is on record: see `repeats_end`.

        Whether it is must be decided where it is written, such as in the same transaction: two processes may record the
        end of one run at the same time.
        """
        ...

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Write the final result of a call and its event in one transaction: both, or neither."""
        ...

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        ...

    async def page(self, run_id: str, /, after: int, most: int) -> RunRecord:
        """Read at most that many events of a run after a number, with their results; none where there are no more.

        Raises `StoreError`.
        """
        ...

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        ...

    async def latest_runs(self, most: int, /, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first, after the first `skip` of them.

        The order is that of `runs`, reversed. Raises `StoreError`.
        """
        ...

    def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, including future ones, endlessly. The run may have none yet."""
        ...

    async def close(self) -> None:
        """Write what is pending, and release resources. A closed store accepts no writes."""
        ...


# Traces: the decision and duration of each stage of a call. Cheap to record, and parsed later.
#
# A trace is a list: the names of the planned stages, the start time, and then an end time for each stage. An end time
# may be preceded by the decision of the stage; a stage out of order is a pair of its name and its end time. Times are
# in nanoseconds.

__all__ = ["StageMark", "Trace", "marks_of", "now"]

Trace: TypeAlias = list[Any]


class StageMark(NamedTuple):
    """The decision of one stage, if it is more than to let the call pass, and its duration in nanoseconds."""

    stage: str
    decision: str
    ns: int


def marks_of(trace: Trace) -> Iterator[StageMark]:
    """Parse a trace."""
    names: Iterator[str] = iter(trace[0])
    entries: list[str | int | tuple[str, int]] = trace[2:]
    before: int = trace[1]
    decision = ""
    for entry in entries:
        if isinstance(entry, str):
            decision = entry
            continue
        name, moment = entry if isinstance(entry, tuple) else (next(names), entry)
        yield StageMark(name, decision, moment - before)
        before, decision = moment, ""


class EventKind(StrEnum):
    """The kinds of events. Stores accept other words too, so that a host can define its own."""

    TOOL_STARTED = "tool_started"
    TOOL_PROGRESS = "tool_progress"
    TOOL_COMPLETED = "tool_completed"
    TOOL_FAILED = "tool_failed"
    TOOL_DENIED = "tool_denied"
    PERMISSION_FAILED = "permission_failed"
    AGENT_RUN_STARTED = "agent_run_started"
    AGENT_RUN_ENDED = "agent_run_ended"
    RUN_ENDED = "run_ended"


OF_CALLS: Final = frozenset({EventKind.TOOL_PROGRESS, EventKind.AGENT_RUN_STARTED, EventKind.AGENT_RUN_ENDED})
"""The kinds of events that calls may report themselves, beside words of their own."""

OF_RUNTIME: Final = frozenset(EventKind) - OF_CALLS

ABORTED: Final = "aborted_tools"
"""The reason of the end of a run that was aborted, on record."""

NO_DATA: Final[Mapping[str, Any]] = MappingProxyType({})


class NewEvent(NamedTuple):
    """An event to be stored. The store adds its number and time, and redacts secrets.

    `data` is a JSON object that must not be modified any more. `args`, if given, is the JSON text of the call's args as
    received, stored as `data["args"]` without `secrets`. `trace` has the decision and duration of each stage of the
    call, stored as `data["stages"]`.
    """

    kind: str
    run_id: str
    tool: str = ""
    tool_call_id: str = ""
    data: Mapping[str, Any] = NO_DATA
    args: bytes | str | None = None
    secrets: Secrets = NO_SECRETS
    trace: Trace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a run. Events of a run are numbered from 0, without gaps; `at` is in UTC."""

    run_id: str
    sequence: int
    kind: str
    tool: str
    tool_call_id: str
    at: datetime
    data: Mapping[str, Any]

    @property
    def is_reported(self) -> bool:
        """Whether a call or its host reported it, so that its data are theirs and not the runtime's."""
        return self.kind not in OF_RUNTIME


def repeats_end(event: Event, before: Iterable[Event]) -> bool:
    """Whether an event is the end of a run that is on record: for the same reason, and no call has begun since.

    `before` are the events of the run so far, the last one first. A run that was aborted has ended whatever is said
    afterwards.
    """
    if event.kind != EventKind.RUN_ENDED:
        return False
    for each in before:
        if each.kind == EventKind.TOOL_STARTED:
            return False
        if each.kind == EventKind.RUN_ENDED:
            return each.data.get("end_reason") in (event.data.get("end_reason"), ABORTED)
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """How one call ended. `sequence` is the number of the event that was written with it.

    `content` is a JSON object: `value` on success, or `error` with `kind`, `code`, `message`, `hint`, `issues`; where
    the result has them, `blocks`, `message`, `side_effects`, `audit`, `telemetry`, `server_data`, `bounds` and
    `metadata`. Of a value too large to be shown only the blocks are stored.
    """

    run_id: str
    sequence: int
    tool: str
    tool_call_id: str
    success: bool
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The events and results of one run, in order: all of them, or those of a page."""

    run_id: str
    events: tuple[Event, ...]
    results: tuple[StoredResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One run in a list: the times of its first and last events, their number, and how its calls ended."""

    run_id: str
    began: datetime
    last: datetime
    events: int
    completed: int
    failed: int
    denied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPage:
    """A page of the runs that a filter selects, of which there are `found`."""

    found: int
    runs: tuple[RunSummary, ...]


class StoreError(RuntimeError):
    """A store cannot be opened, read or written. The message contains no path and no stored data."""


class DamagedRun(StoreError):
    """What a database has of a run cannot be read; it may have others that can."""


class RunNotFound(Picklable, LookupError):
    """A store has no run with that id."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(f"there is no run {run_id!r}")
