"""A store in memory, for tests and short-lived hosts. Writing a plain call is one append: readers do the rest."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import time_ns
from typing import Any, Final, TypeAlias

from toolgen.contract.records import ToolResult
from toolgen.record.calls import caller_of
from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.events.encoding import (
    COUNTED_AS,
    decode_event,
    decode_result,
    encode_event,
    encode_result,
)
from toolgen.runtime.events.records import (
    EVERY_RUN,
    NO_DATA,
    CallOutcome,
    Event,
    EventKind,
    NewEvent,
    RunFilter,
    RunNotFound,
    RunRecord,
    RunsPage,
    RunSummary,
    StoreError,
    repeats_end,
)
from toolgen.runtime.redact.secrets import NO_SECRETS

_Row: TypeAlias = tuple[Any, ...]
"""An event: the run, the kind, the time, its JSON, and the JSON of its result, if it ends a call.

If it is not encoded yet, it has None for its JSON, and its parts follow: the tool, the id of the call; and of an event
without a result the JSON text of its args, then the names and values of its data. An end has the payload of the result
in place of its JSON, and more parts: the requested name, then the trace.

The first reader encodes a row, and stores it so: encoding takes longer than all other reading.

A row is one tuple of texts and numbers: the garbage collector would traverse other objects repeatedly, so that calls
would take longer the more calls a store has.
"""

_BESIDE_VALUE: Final = frozenset({"blocks", "message", "side_effects", "audit", "telemetry", "server_data", "bounds"})

_OUTCOMES: Final = tuple(CallOutcome)
_NO_ENDS: Final = array("q", [0] * len(_OUTCOMES))

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MemoryStore:
    """Stores runs in memory. Implements `Store`; secrets are redacted when it is read.

    `clock` returns the time of events, by default the system's. `follow` looks for new events every `poll` seconds.
    """

    def __init__(self, *, clock: Callable[[], datetime] | None = None, poll: float = 0.1) -> None:
        self._clock: Callable[[], datetime | int] = clock or time_ns
        self._poll = poll
        self._rows: list[_Row] = []
        self._closed = False
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin without notes on the rows, which another thread may have been changing as this process was forked."""
        self._places: dict[str, array[int]] = {}
        self._ends: dict[str, array[int]] = {}
        self._placed = 0
        self._ending = Lock()
        self._placing = Lock()

    def append(self, event: NewEvent, /) -> None:
        """Write an event; the end of a run once. Raises ValueError or TypeError, and `StoreError` if it is closed."""
        if event.kind == EventKind.RUN_ENDED:
            self._end(event)
        else:
            self._write(event, None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> None:
        """Write a final result and its event. Raises as `append` does.

        A result with more than a value is encoded immediately, because it could still be modified.
        """
        self._write(event, result)

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        record = await self.page(run_id, -1, len(self._rows))
        if not record.events:
            raise RunNotFound(run_id)
        return record

    async def page(self, run_id: str, /, after: int, most: int) -> RunRecord:
        """Read at most that many events of a run after a number, with their results."""
        first = max(after + 1, 0)
        rows = list(enumerate(map(self._encoded, self._places_of(run_id)[first : first + most]), first))
        return RunRecord(
            run_id=run_id,
            events=tuple(decode_event(run_id, sequence, event) for sequence, (_, _, _, event, _) in rows),
            results=tuple(
                decode_result(run_id, sequence, result) for sequence, (_, _, _, _, result) in rows if result is not None
            ),
        )

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        return tuple(map(self._summary, self._sorted_runs(EVERY_RUN)))

    async def latest_runs(self, most: int, /, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first, after the first `skip` of them."""
        found = self._sorted_runs(which)[::-1]
        return RunsPage(found=len(found), runs=tuple(map(self._summary, found[skip : skip + most])))

    async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, including future ones, endlessly."""
        while True:
            page = await self.page(run_id, after, len(self._rows))
            for event in page.events:
                yield event
                after = event.sequence
            await asyncio.sleep(self._poll)

    async def close(self) -> None:
        """Reject further writes."""
        self._closed = True

    def _end(self, event: NewEvent) -> None:
        with self._ending:
            places = reversed(self._places_of(event.run_id))
            before = (decode_event(event.run_id, -1, _event_body(self._rows[place])) for place in places)
            end = decode_event(event.run_id, -1, encode_event(event, _EPOCH))
            if self._closed or not repeats_end(end, before):
                self._write(event, None)

    def _write(self, event: NewEvent, result: ToolResult[Any] | None) -> None:
        if self._closed:
            raise StoreError("the store is closed")
        kind, run_id, tool, call_id, data, args, secrets, trace = event
        if not call_id.isascii():
            call_id.encode()  # raises ValueError for invalid Unicode; the rest of a row is from the runtime
        if kind.__class__ is not str:
            kind = str(kind)
        if secrets is NO_SECRETS:
            if result is None:
                texts = () if data is NO_DATA else _texts(data)
                if texts is not None and trace is None:
                    self._rows.append((run_id, kind, self._clock(), None, None, tool, call_id, args, *texts))
                    return
            elif data is NO_DATA and args is None and _is_plain(result):
                metadata = result.__dict__.get("metadata")
                raw_name = metadata["raw_tool_name"] if metadata else None
                head = (run_id, kind, self._clock(), None, result.payload, tool, call_id, raw_name)
                self._rows.append(head if trace is None else (*head, *trace))
                return
        encoded = None if result is None else encode_result(result, secrets)
        at = self._clock()
        self._rows.append((run_id, kind, at, encode_event(event, _time(at)), encoded))

    def _places_of(self, run_id: str) -> array[int]:
        """Return the places of a run's rows; writers leave it to readers to note them."""
        with self._placing:
            self._place()
            return self._places.get(run_id, array("q"))

    def _place(self) -> None:
        """Note where the rows are that were written since, and how their calls ended."""
        for place in range(self._placed, len(self._rows)):
            row = self._rows[place]
            self._places.setdefault(row[0], array("q")).append(place)
            if row[4] is not None:
                ends = self._ends.setdefault(row[0], array("q", [0] * len(_OUTCOMES)))
                ends[_OUTCOMES.index(COUNTED_AS.get(row[1], "failed"))] += 1
            self._placed = place + 1

    def _sorted_runs(self, which: RunFilter) -> list[str]:
        """Return the ids of the runs that a filter selects, the one with the latest event last."""
        with self._placing:
            self._place()
            found = [run_id for run_id in self._places if which is EVERY_RUN or self._is_selected(run_id, which)]
            return sorted(found, key=lambda run_id: self._rows[self._places[run_id][-1]][2])

    def _is_selected(self, run_id: str, which: RunFilter) -> bool:
        if which.part not in run_id:
            return False
        if which.outcome is not None and not self._ends.get(run_id, _NO_ENDS)[_OUTCOMES.index(which.outcome)]:
            return False
        places = self._places[run_id]
        if which.user is not None and caller_of(decode_event(run_id, 0, self._encoded(places[0])[3]))[0] != which.user:
            return False
        return (which.since is None or _time(self._rows[places[-1]][2]) >= which.since) and (
            which.until is None or _time(self._rows[places[0]][2]) < which.until
        )

    def _summary(self, run_id: str) -> RunSummary:
        with self._placing:
            places = self._places[run_id]
            completed, failed, denied = self._ends.get(run_id, _NO_ENDS)
            return RunSummary(
                run_id=run_id,
                began=_time(self._rows[places[0]][2]),
                last=_time(self._rows[places[-1]][2]),
                events=len(places),
                completed=completed,
                failed=failed,
                denied=denied,
            )

    def _encoded(self, place: int) -> _Row:
        row = self._rows[place]
        if row[3] is None:
            result = None if row[4] is None else _result_body(row)
            row = self._rows[place] = (*row[:3], _event_body(row), result)
        return row


def _texts(data: Mapping[str, Any]) -> list[str] | None:
    """Return the names and values of data that has only texts in ASCII; None for other data."""
    if data.__class__ is not dict:
        return None
    texts: list[str] = []
    for name, value in data.items():
        if not (value.__class__ is str and name.isascii() and value.isascii()):
            return None
        texts += (name, value)
    return texts


def _is_plain(result: ToolResult[Any]) -> bool:
    """Whether a result has only a value, and perhaps the requested name."""
    fields = result.__dict__  # if one of them is set, all are
    if "blocks" in fields and (result.error is not None or any(map(fields.get, _BESIDE_VALUE))):
        return False
    metadata = fields.get("metadata")
    return not metadata or (len(metadata) == 1 and metadata.get("raw_tool_name").__class__ is str)


def _event_body(row: _Row) -> bytes:
    run_id, kind, at, body, result, *parts = row
    if body is not None:
        return bytes(body)
    tool, call_id, args, *texts = parts
    if result is None:
        data = dict(zip(texts[::2], texts[1::2], strict=True))
        return encode_event(NewEvent(kind, run_id, tool, call_id, data, args), _time(at))
    return encode_event(NewEvent(kind, run_id, tool, call_id, trace=texts or None), _time(at))


def _result_body(row: _Row) -> bytes:
    """Return the JSON of the result of an end that is not encoded."""
    _, _, _, _, payload, tool, call_id, raw_name, *_ = row
    metadata = {} if raw_name is None else {"raw_tool_name": raw_name}
    result = ToolResult[Any](tool_name=tool, tool_call_id=call_id, payload=payload, metadata=metadata)
    return encode_result(result, NO_SECRETS)


def _time(at: datetime | int) -> datetime:
    """Return the time of a row: a datetime from the clock, or nanoseconds since 1970."""
    return at if isinstance(at, datetime) else _EPOCH + timedelta(microseconds=at // 1000)
