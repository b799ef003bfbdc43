"""Runs: what a store has of runs, and one run as a timeline of its calls, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.explore.args_editor import LinkArgs, link_args
from toolgen.explore.json_text import json_line
from toolgen.explore.visit import Refused
from toolgen.explore.visitors import Viewpoint
from toolgen.record.calls import caller_of
from toolgen.record.chain import ChainError
from toolgen.runtime.events.encoding import format_time
from toolgen.runtime.events.records import CallOutcome, DamagedRun, RunFilter, RunNotFound, StoreError

if TYPE_CHECKING:
    from toolgen.explore.records import CallsPage, Outline, Records
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall
    from toolgen.runtime.events.records import Event, RunSummary

PAGE: Final = 50
CALLS: Final = 100
"""Calls on one page."""

_READ: Final = 300
"""Runs that are read at most to find those of a user, an agent or a tool."""

_FILTERS_BY_READING: Final = ("by_user", "by_agent", "tool")
_FILTERS: Final = (*_FILTERS_BY_READING, "outcome", "since", "until")

_VALUE: Final = 2_000
"""Characters of each result that are shown beside others."""

_MOST_PAGES: Final = 10**9


async def runs(visit: Visit) -> Data:
    """List the runs that the visitor may see, the latest first, filtered by user, agent, tool, outcome and time."""
    records = records_of(visit)
    wanted = {name: visit.fields.get(name, "").strip() for name in _FILTERS}
    needs_reading = not visit.visitor.sees_all or any(wanted[name] for name in _FILTERS_BY_READING)
    number = visit.number("page", 1, _MOST_PAGES)
    found = await (_read_ones if needs_reading else _listed_ones)(visit, records, wanted, number)
    pages = max(1, -(-found.found // PAGE))
    return {
        **wanted,
        "outcomes": list(CallOutcome),
        "page": min(number, pages),
        "pages": pages,
        "found": found.found,
        "is_bounded": found.is_bounded,
        "read_at_most": _READ,
        "runs": [_summary(each) for each in found.runs],
        "damaged": found.damaged,
    }


class _Runs(NamedTuple):
    """A page of the runs that were found; `is_bounded` if there are more than were read to find them.

    `damaged` are those whose record cannot be read: nobody knows whose they are.
    """

    found: int
    runs: Sequence[RunSummary]
    is_bounded: bool
    damaged: Sequence[str] = ()


async def _listed_ones(_visit: Visit, records: Records, wanted: dict[str, str], number: int) -> _Runs:
    """Return a page of the runs, or the last one, from the list of the store alone."""
    which = _filter(wanted)
    page = await records.latest_runs(PAGE, skip=(number - 1) * PAGE, which=which)
    if not page.runs and page.found:
        page = await records.latest_runs(PAGE, skip=(page.found - 1) // PAGE * PAGE, which=which)
    return _Runs(page.found, page.runs, is_bounded=False)


async def _read_ones(visit: Visit, records: Records, wanted: dict[str, str], number: int) -> _Runs:
    """Return a page of those of the latest runs that fit: whether all of a run is a user's is known once it is read.

    The latest are those of the visitor, or of all users for who sees all, and is told of damaged ones.
    """
    every = await records.latest_runs(_READ, which=replace(_filter(wanted), user=_only(visit)))
    found: list[RunSummary] = []
    damaged: list[str] = []
    for each in every.runs:
        try:
            outline = await records.outline(each.run_id, events=each.events, only=_only(visit), began=each.began)
        except RunNotFound:  # deleted meanwhile
            continue
        except DamagedRun:
            damaged.append(each.run_id)
            continue
        if visit.visitor.may_see_user(outline.user) and _is_wanted(outline, wanted):
            found.append(each)
    number = min(number, max(1, -(-len(found) // PAGE)))
    shown = found[(number - 1) * PAGE : number * PAGE]
    hidden = damaged[:PAGE] if visit.visitor.sees_all else ()
    return _Runs(len(found), shown, is_bounded=every.found > _READ, damaged=hidden)


def _is_wanted(outline: Outline, wanted: dict[str, str]) -> bool:
    return (
        wanted["by_user"] in ("", outline.user)
        and (not wanted["by_agent"] or outline.has_agent(wanted["by_agent"]))
        and (not wanted["tool"] or outline.has_tool(wanted["tool"]))
    )


def _filter(wanted: dict[str, str]) -> RunFilter:
    """Return what the list of a store can be filtered by. Raises `Refused` for what is no day."""
    outcome = wanted["outcome"]
    until = _day(wanted, "until")
    try:
        until = None if until is None else until + timedelta(days=1)
    except OverflowError:  # the last day there is
        until = None
    return RunFilter(
        outcome=CallOutcome(outcome) if outcome in set(CallOutcome) else None, since=_day(wanted, "since"), until=until
    )


def _day(wanted: dict[str, str], name: str) -> datetime | None:
    try:
        day = date.fromisoformat(wanted[name]) if wanted[name] else None
    except ValueError:
        raise Refused(400, f"`{name}` must be a day, such as 2026-05-01") from None
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


async def run(visit: Visit) -> Data:
    """Return a page of the calls of a run, each with its stages; `summary` and `verified` need all of it."""
    records, run_id = records_of(visit), visit.path["run"]
    await seen(visit, records)  # of a run of someone else no call is read
    page = await records.calls(run_id, visit.number("page", 1, 10**9), CALLS)
    # Again, so that all that was read before has been looked at.
    await seen(visit, records)
    return {
        "run": run_id,
        "is_read": True,
        "began": format_time(page.began),
        "page": page.page,
        "has_more": page.has_more,
        "size": CALLS,
        "may_save": visit.may_save,
        "calls": await visit.aside(_calls, visit, page),
    }


async def run_at_first(visit: Visit) -> Data:
    """Return what a new page of a run shows: nothing of one that may have events of another user in its unread rest.

    The page follows the run, and so gets what `run` returns once all of it is read; `whole` waits for that here.
    """
    if visit.visitor.sees_all or visit.fields.get("whole"):
        return await run(visit)
    outline = await records_of(visit).outline(visit.path["run"], events=1)
    if outline.is_whole:
        return await run(visit)
    if not visit.visitor.may_see_user(outline.user):
        raise Refused(404, "there is no such run")
    return {"run": visit.path["run"], "is_read": False}


async def summary(visit: Visit) -> Data:
    """Return what is known of a run once all of it was read: its user and agents, its calls, and what it started."""
    records = records_of(visit)
    outline = await records.outline(visit.path["run"], only=_only(visit))
    if not visit.visitor.may_see_user(outline.user):
        raise Refused(404, "there is no such run")
    assert outline.began is not None
    assert outline.last is not None
    return {
        "run": visit.path["run"],
        "user": outline.user,
        "agents": sorted(outline.agents),
        "last": format_time(outline.last),
        "ms": (outline.last - outline.began).total_seconds() * 1000,
        "waited_us": outline.waited_us,
        "ended": outline.ended,
        "events": outline.events,
        "counts": {**outline.counts, "running": len(outline.open)},
        "children": list(outline.children),
    }


async def verified(visit: Visit) -> Data:
    """Return whether the whole record of a run is intact, and which row is the first that is not."""
    records = records_of(visit)
    await seen(visit, records)
    async with visit.explorer.whole_runs.held(visit.visitor.name):
        return {"run": visit.path["run"], "chain": await _chain(records, visit.path["run"])}


async def seen(visit: Visit, records: Records) -> Outline:
    """Check that a visitor may see a run: for all but the person at this machine by each event that it has now.

    Returns what is known of it then. Raises `Refused`, `RunNotFound` and `StoreError`.
    """
    calls = 1 if visit.visitor.sees_all else None
    outline = await records.outline(visit.path["run"], calls=calls, only=_only(visit))
    if not visit.visitor.may_see_user(outline.user):
        raise Refused(404, "there is no such run")
    return outline


def _only(visit: Visit) -> str | None:
    """Return the user whose runs alone the visitor may see: others need not be read further."""
    return None if visit.visitor.sees_all else visit.visitor.name


def _calls(visit: Visit, page: CallsPage) -> list[Data]:
    times = [event.at.timestamp() for call in page.calls for event in call.events]
    first, last = min(times, default=0.0), max(times, default=0.0)
    return [_call(visit, each, first, last, page.is_cut) for each in page.calls]


def _call(visit: Visit, call: RecordedCall, began: float, last: float, is_cut: bool) -> Data:
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    value = json_line(content["value"]) if "value" in content else ""
    text, _ = visit.cut(value[:_VALUE])
    args = args_of(call) or ""
    shown, args_left = visit.cut(args)
    link = visit.for_link(link_args(json.loads(args)) if args else LinkArgs())
    span = max(last - began, 1e-9)
    return {
        "tool": call.tool,
        "view": visit.query_of(_view_of(visit, call)),
        "call": call.tool_call_id,
        "sequence": call.events[0].sequence,
        "state": "ends later" if is_cut and call.result is None else call.state,
        "at": format_time(call.events[0].at),
        "requested": format_time(call.requested_at),
        "waited_us": call.waited_us,
        "us": call.duration_us,
        "left": round(100 * (call.events[0].at.timestamp() - began) / span, 2),
        "args": shown,
        "args_left_out": args_left,
        "link": link.text,
        "link_left_out": link.left_out,
        "value": text,
        "left_out": len(value) - len(text),
        "error": content.get("error"),
        "stages": [{"stage": each.stage, "decision": each.decision, "us": each.us} for each in call.stages],
        "asked": next((each.data["permission"] for each in _of_runtime(call) if "permission" in each.data), None),
    }


def _view_of(visit: Visit, call: RecordedCall) -> Viewpoint:
    """Return as whom a call was made, as far as it is on record, and its agent is one of this build."""
    user, agent = next((who for who in map(caller_of, call.events) if who != (None, None)), (None, None))
    is_known = agent in visit.explorer.runtime.catalog.section("agents")
    return Viewpoint(agent=agent if agent is not None and is_known else "", user=user)


def args_of(call: RecordedCall) -> str | None:
    """Return the args of a recorded call as JSON text; None where they are not on record."""
    for event in _of_runtime(call):
        if "args" in event.data:
            return json_line(event.data["args"])
    return None


def _of_runtime(call: RecordedCall) -> Iterator[Event]:
    """Return the events of a call that it cannot have reported itself."""
    return (event for event in call.events if not event.is_reported)


async def _chain(records: Records, run_id: str) -> Data:
    """Return whether the record of a run is intact, and what is wrong first."""
    if not records.has_chain:
        return {"is_kept": False, "is_intact": None, "first": "", "sequence": None, "findings": 0, "rows": 0}
    try:
        rows, findings, first = await records.verify(run_id)
    except (StoreError, ChainError) as error:
        return {"is_kept": True, "is_intact": False, "first": str(error), "sequence": None, "findings": 1, "rows": 0}
    return {
        "is_kept": True,
        "is_intact": not findings,
        "first": "" if first is None else first.message,
        "sequence": None if first is None else first.sequence,
        "findings": findings,
        "rows": rows,
    }


def records_of(visit: Visit) -> Records:
    """Return the records. Raises `Refused` without a store."""
    if visit.explorer.records is None:
        raise Refused(404, "there is no store: nothing is recorded here")
    return visit.explorer.records


def _summary(each: RunSummary) -> Data:
    return {
        "run": each.run_id,
        "began": format_time(each.began),
        "last": format_time(each.last),
        "ms": (each.last - each.began).total_seconds() * 1000,
        "events": each.events,
        "completed": each.completed,
        "failed": each.failed,
        "denied": each.denied,
    }
