"""Replay: the recorded calls of a run against this build: accepted, decided and answered as before, or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.screens.runs import args_of, read_run, user_of
from toolgen.record.calls import calls_of
from toolgen.record.replay import replay as replayed

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall
    from toolgen.record.replay import Report
    from toolgen.runtime.catalog.catalog import Catalog

_MOST: Final = 1_000
"""Calls that are checked at most; the rest is for `toolgen replay`."""

_REDACTED: Final = "[redacted"


async def replay(visit: Visit) -> Data:
    """Check the calls of a run; none is made. A redacted arg stands for itself, so its verdict is marked."""
    record = await read_run(visit)
    calls = calls_of(record)
    rows = [_row(visit, call) for call in calls[:_MOST]]
    return {
        "run": record.run_id,
        "user": user_of(record),
        "calls": rows,
        "total": len(calls),
        "left_out": max(len(calls) - _MOST, 0),
        "changed": sum(row["verdict"] != "same" for row in rows),
    }


def _row(visit: Visit, call: RecordedCall) -> Data:
    catalog = visit.explorer.runtime.catalog
    args = args_of(call)
    was_accepted = not any(each.stage == "decode" and each.decision for each in call.stages)
    report = _checked(catalog, call.tool, "arguments", args)
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    value = json.dumps(content["value"], ensure_ascii=False) if "value" in content else None
    result = _checked(catalog, call.tool, "result", value)
    answer = _answer(visit, call.tool)
    problems = [
        *_problems("args", report, was_accepted=was_accepted),
        *_problems("result", result, was_accepted=True),
        *([] if answer else ["the tool is missing for this agent"]),
    ]
    return {
        "tool": call.tool,
        "call": call.tool_call_id,
        "state": call.state,
        "is_redacted": any(text is not None and _REDACTED in text for text in (args, value)),
        "had_args": args is not None,
        "answer": answer,
        "verdict": "changed" if problems else "same",
        "problems": problems,
    }


def _checked(catalog: Catalog, tool: str, side: str, text: str | None) -> Report | None:
    if text is None:
        return None
    line = f'{{"tool":{json.dumps(tool)},"{side}":{text}}}'.encode("utf-8", "surrogatepass")
    return replayed([line], [catalog])


def _problems(side: str, report: Report | None, *, was_accepted: bool) -> list[str]:
    if report is None:
        return []
    if report.disagree:
        return ["there is no such tool any more"] if side == "args" else []
    found = [
        f"{side}: {issue.pointer or 'the whole value'}: {issue.hint}"
        for each in report.rejections
        for issue in each.issues
    ]
    if found:
        return found if was_accepted else []
    return [] if was_accepted or not report.accepted else [f"{side}: accepted now, and not then"]


def _answer(visit: Visit, tool: str) -> str:
    """Return what policies decide now, before a call is made; empty for a tool that the agent does not have."""
    effective = visit.run.effective
    return effective.policy_decision(tool).answer.value if tool in effective else ""
