"""Runs: what a store has of runs, and one run as a timeline of its calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.visit import Refused
from toolgen.record.calls import calls_of
from toolgen.record.chain import ChainError
from toolgen.runtime.events.encoding import format_time
from toolgen.runtime.events.records import EventKind, RunNotFound, StoreError

if TYPE_CHECKING:
    from toolgen.explore.records import Records
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall
    from toolgen.runtime.events.records import RunRecord, RunSummary

PAGE: Final = 50
CALLS: Final = 100
"""Calls on one page."""

_READ: Final = 300
"""Runs that are read at most to find those of a user or a tool."""

OUTCOMES: Final = ("completed", "failed", "denied")


async def runs(visit: Visit) -> Data:
    """List the runs that the visitor may see, the latest first, filtered by user, tool, outcome and time."""
    records = records_of(visit)
    wanted = {name: visit.fields.get(name, "").strip() for name in ("by_user", "tool", "outcome", "since", "until")}
    try:
        every = [each for each in reversed(await records.runs()) if _is_wanted(each, wanted)]
        found, has_more = await _filtered(visit, records, every, wanted)
    except StoreError as error:
        raise Refused(500, f"the store cannot be read: {error}") from None
    pages = max(1, -(-len(found) // PAGE))
    page = min(visit.number("page", 1, pages), pages)
    shown = found[(page - 1) * PAGE : page * PAGE]
    return {
        **wanted,
        "outcomes": list(OUTCOMES),
        "page": page,
        "pages": pages,
        "found": len(found),
        "is_bounded": has_more,
        "read_at_most": _READ,
        "runs": [_summary(each) for each in shown],
    }


async def _filtered(
    visit: Visit, records: Records, every: list[RunSummary], wanted: dict[str, str]
) -> tuple[list[RunSummary], bool]:
    """Return the runs of the list that fit: those of a user or a tool are known only once they are read."""
    if visit.visitor.sees_all and not wanted["by_user"] and not wanted["tool"]:
        return every, False
    found: list[RunSummary] = []
    for each in every[:_READ]:
        record = await records.read(each.run_id)
        user = user_of(record)
        is_of_tool = not wanted["tool"] or any(wanted["tool"] in event.tool for event in record.events)
        if visit.visitor.may_see_user(user) and wanted["by_user"] in ("", user) and is_of_tool:
            found.append(each)
    return found, len(every) > _READ


def _is_wanted(each: RunSummary, wanted: dict[str, str]) -> bool:
    outcome = wanted["outcome"]
    if outcome in OUTCOMES and not getattr(each, outcome):
        return False
    began, last = format_time(each.began), format_time(each.last)
    return (not wanted["since"] or last[:10] >= wanted["since"]) and (
        not wanted["until"] or began[:10] <= wanted["until"]
    )


async def run(visit: Visit) -> Data:
    """Return one run: a page of its calls, each with its stages, and whether its record is intact."""
    records, record = records_of(visit), await read_run(visit)
    calls = calls_of(record)
    pages = max(1, -(-len(calls) // CALLS))
    page = min(visit.number("page", 1, pages), pages)
    states = [call.state for call in calls]
    ends = [event.data.get("end_reason") for event in record.events if event.kind == EventKind.RUN_ENDED]
    began, last = record.events[0].at, record.events[-1].at
    first_call = calls[(page - 1) * CALLS : page * CALLS]
    return {
        "run": record.run_id,
        "user": user_of(record),
        "began": format_time(began),
        "last": format_time(last),
        "ms": (last - began).total_seconds() * 1000,
        "ended": str(ends[-1]) if ends else "",
        "events": len(record.events),
        "counts": {state: states.count(state) for state in (*OUTCOMES, "running")},
        "page": page,
        "pages": pages,
        "first_number": (page - 1) * CALLS + 1,
        "may_save": visit.may_save,
        "calls": [_call(visit, each, began.timestamp(), last.timestamp()) for each in first_call],
        "children": _children(record),
        "chain": await _chain(records, record.run_id),
    }


def _call(visit: Visit, call: RecordedCall, began: float, last: float) -> Data:
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    text, left = visit.cut(json.dumps(content.get("value"), ensure_ascii=False)) if "value" in content else ("", 0)
    args = args_of(call)
    span = max(last - began, 1e-9)
    return {
        "tool": call.tool,
        "call": call.tool_call_id,
        "state": call.state,
        "at": format_time(call.events[0].at),
        "us": call.duration_us,
        "left": round(100 * (call.events[0].at.timestamp() - began) / span, 2),
        "args": "" if args is None else visit.cut(args)[0],
        "value": text[:2000],
        "left_out": left + max(len(text) - 2000, 0),
        "error": content.get("error"),
        "stages": [{"stage": each.stage, "decision": each.decision, "us": each.us} for each in call.stages],
        "asked": next((event.data["permission"] for event in call.events if "permission" in event.data), None),
    }


def args_of(call: RecordedCall) -> str | None:
    """Return the args of a recorded call as JSON text; None where they are not on record."""
    for event in call.events:
        if "args" in event.data:
            return json.dumps(event.data["args"], ensure_ascii=False, separators=(",", ":"))
    return None


def _children(record: RunRecord) -> list[Data]:
    """Return the runs that calls of a run have started."""
    return [
        {"run": str(event.data.get("run_id", "")), "agent": str(event.data.get("agent", "")), "tool": event.tool}
        for event in record.events
        if event.kind == EventKind.AGENT_RUN_STARTED
    ]


async def _chain(records: Records, run_id: str) -> Data:
    """Return whether the record of a run is intact, and what is wrong first."""
    if not records.has_chain:
        return {"is_kept": False, "is_intact": None, "first": "", "sequence": None, "findings": 0}
    try:
        findings = await records.verify(run_id)
    except (StoreError, ChainError) as error:
        return {"is_kept": True, "is_intact": False, "first": str(error), "sequence": None, "findings": 1}
    first = findings[0] if findings else None
    return {
        "is_kept": True,
        "is_intact": not findings,
        "first": "" if first is None else first.message,
        "sequence": None if first is None else first.sequence,
        "findings": len(findings),
    }


async def read_run(visit: Visit) -> RunRecord:
    """Read the run of the path. Raises `Refused`, also for one that the visitor may not see."""
    try:
        record = await records_of(visit).read(visit.path["run"])
    except RunNotFound:
        raise Refused(404, "there is no such run") from None
    except StoreError as error:
        raise Refused(500, f"the store cannot be read: {error}") from None
    if not visit.visitor.may_see_user(user_of(record)):
        raise Refused(404, "there is no such run")
    return record


def user_of(record: RunRecord) -> str | None:
    """Return the user of a run, as its calls say it; None for none, and for a run of several."""
    users = {user for event in record.events if isinstance(user := event.data.get("user"), str)}
    return users.pop() if len(users) == 1 else None


def records_of(visit: Visit) -> Records:
    """Return the records. Raises `Refused` without a store."""
    if visit.explorer.records is None:
        raise Refused(404, "there is no store: nothing is recorded here")
    return visit.explorer.records


def _summary(each: RunSummary) -> Data:
    return {
        "run": each.run_id,
        "began": format_time(each.began),
        "ms": (each.last - each.began).total_seconds() * 1000,
        "events": each.events,
        "completed": each.completed,
        "failed": each.failed,
        "denied": each.denied,
    }
