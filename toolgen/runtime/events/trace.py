"""Traces: what each stage of a call decided, and how long it took. They are taken with next to no work, and read later.

A trace is a list that grows: the names of the stages that lie before the call, when it began, and then a moment for
each stage that has ended. Before a moment may stand what was decided; a stage out of order stands there as a pair of
its name and its moment. Moments are in nanoseconds.
"""

from __future__ import annotations

from time import perf_counter_ns as now
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mark", "Trace", "marks_of", "now"]

Trace: TypeAlias = list[Any]


class Mark(NamedTuple):
    """What one stage decided, where it is more than to let the call pass, and how many nanoseconds it took."""

    stage: str
    decision: str
    ns: int


def marks_of(trace: Trace) -> Iterator[Mark]:
    """Read a trace."""
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
