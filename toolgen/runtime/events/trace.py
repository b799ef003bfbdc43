"""Traces: the decision and duration of each stage of a call. Cheap to record, and parsed later.

A trace is a list: the names of the planned stages, the start time, and then an end time for each stage. An end time may
be preceded by the decision of the stage; a stage out of order is a pair of its name and its end time. Times are in
nanoseconds.
"""

from __future__ import annotations

from time import perf_counter_ns as now
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mark", "Trace", "marks_of", "now"]

Trace: TypeAlias = list[Any]


class Mark(NamedTuple):
    """The decision of one stage, if it is more than to let the call pass, and its duration in nanoseconds."""

    stage: str
    decision: str
    ns: int


def marks_of(trace: Trace) -> Iterator[Mark]:
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
        yield Mark(name, decision, moment - before)
        before, decision = moment, ""
