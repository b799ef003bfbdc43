"""A store in memory, for tests and short-lived hosts. A write of a plain call costs an append: readers do the rest."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.runtime.events.encoding import (
    COUNTED_AS,
    decode_event,
    decode_result,
    encode_event,
    encode_result,
)
from toolgen.runtime.events.records import Event, NewEvent, RunNotFound, RunRecord, RunSummary, StoredResult, StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from toolgen.contract.records import ToolResult

_Row: TypeAlias = "tuple[NewEvent, datetime, bytes | None, ToolResult[Any] | bytes | None]"
"""An event, when it was, its JSON if that is made, and the result it comes with. Data of others is JSON at once."""

_BESIDE_VALUE: Final = frozenset(
    {"blocks", "message", "side_effects", "audit", "telemetry", "server_data", "bounds", "metadata"}
)

_now: Final = partial(datetime.now, UTC)


class MemoryStore:
    """Keeps runs in memory, as the protocol of stores says, and takes secrets out when it is read.

    `clock` gives the time of events. Whoever follows a run looks for new events every `poll` seconds.
    """

    def __init__(self, *, clock: Callable[[], datetime] = _now, poll: float = 0.1) -> None:
        self._clock = clock
        self._poll = poll
        self._rows: list[_Row] = []
        self._closed = False

    def append(self, event: NewEvent, /) -> None:
        """Write an event. Raises ValueError or TypeError for what is no JSON, and `StoreError` once closed."""
        self._write(event, None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> None:
        """Write a final result and its event. Raises as `append` does.

        A failure is encoded at once: its cause holds the frames of the call. So is what others could still change.
        """
        self._write(event, result if _is_plain(result) else encode_result(result, event.secrets))

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`."""
        rows = self._rows_of(run_id)
        if not rows:
            raise RunNotFound(run_id)
        results = (_result(run_id, sequence, row) for sequence, row in enumerate(rows))
        return RunRecord(
            run_id=run_id,
            events=tuple(_event(run_id, sequence, row) for sequence, row in enumerate(rows)),
            results=tuple(result for result in results if result is not None),
        )

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last."""
        rows: dict[str, list[_Row]] = {}
        for row in self._rows:
            rows.setdefault(row[0].run_id, []).append(row)
        found = [_summary(run_id, of_run) for run_id, of_run in rows.items()]
        return tuple(sorted(found, key=lambda summary: summary.last))

    async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Give the events of a run after a number, those to come included, without end."""
        sequence, at = -1, 0
        while True:
            while at < len(self._rows):
                row = self._rows[at]
                at += 1
                if row[0].run_id == run_id:
                    sequence += 1
                    if sequence > after:
                        yield _event(run_id, sequence, row)
            await asyncio.sleep(self._poll)

    async def close(self) -> None:
        """Take no more writes."""
        self._closed = True

    def _write(self, event: NewEvent, result: ToolResult[Any] | bytes | None) -> None:
        if self._closed:
            raise StoreError("the store is closed")
        _check_text(event.tool_call_id)
        at = self._clock()
        self._rows.append((event, at, encode_event(event, at) if event.data else None, result))

    def _rows_of(self, run_id: str) -> list[_Row]:
        return [row for row in self._rows if row[0].run_id == run_id]


def _is_plain(result: ToolResult[Any]) -> bool:
    """Whether a result is a value with nothing beside it; where that is plain from the names of its fields, at once."""
    fields = result.__dict__
    return result.error is None and (_BESIDE_VALUE.isdisjoint(fields) or not any(map(fields.get, _BESIDE_VALUE)))


def _check_text(text: str) -> None:
    """Raise ValueError for text that is no Unicode. All else that is not encoded at once is a runtime's own."""
    if not text.isascii():
        text.encode()


def _event(run_id: str, sequence: int, row: _Row) -> Event:
    event, at, body, _ = row
    return decode_event(run_id, sequence, body or encode_event(event, at))


def _result(run_id: str, sequence: int, row: _Row) -> StoredResult | None:
    event, _, _, result = row
    if result is None:
        return None
    return decode_result(
        run_id, sequence, result if isinstance(result, bytes) else encode_result(result, event.secrets)
    )


def _summary(run_id: str, rows: list[_Row]) -> RunSummary:
    ends = [COUNTED_AS.get(event.kind, "failed") for event, _, _, result in rows if result is not None]
    return RunSummary(
        run_id=run_id,
        began=rows[0][1],
        last=rows[-1][1],
        events=len(rows),
        completed=ends.count("completed"),
        failed=ends.count("failed"),
        denied=ends.count("denied"),
    )
