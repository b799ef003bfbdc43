"""Replay: the recorded calls of a run against a build: accepted, decided and answered as before, or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.screens.runs import args_of, records_of, seen
from toolgen.explore.versions import named_version, other_version, project_of
from toolgen.record.replay import replay as replayed
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.runtime.redact.credentials import REDACTED

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.explore.records import Outline, Records
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.effective import EffectiveSet

_MOST: Final = 1_000
"""Calls that are checked at most; the rest is for `toolgen replay`."""

_SECONDS: Final = 30.0
"""How long calls are checked; those that are left then are not."""

_PAGE: Final = 200
"""Calls that are read at a time."""

_PIECE: Final = 50
"""Calls that are checked at a time."""

_THIS_BUILD: Final = "this build"

_DECIDED: Final = {"": "allow", "granted": "ask", "allow_once": "ask", "allow_for_session": "ask"}
"""What policies had decided, by what the stage `permission` has on record; of a denial, only a person may know."""


@dataclass(frozen=True, slots=True)
class _Build:
    """What calls are checked against: the tools, and what policies decide for who looks."""

    label: str
    catalog: Catalog
    effective: EffectiveSet


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a codec says of a value: why it does not accept it, if so."""

    issues: tuple[Issue, ...] = ()
    is_broken: bool = False

    @property
    def is_accepted(self) -> bool:
        return not self.issues and not self.is_broken


async def replay(visit: Visit) -> Data:
    """Check the calls of a run against this build; none is made. The verdict of a redacted value is marked."""
    return await _replayed(visit, "")


async def replay_against(visit: Visit) -> Data:
    """Check the calls of a run against another version of the specs, as `replay` does; empty for this build."""
    project_of(visit)
    return await _replayed(visit, named_version(visit))


async def _replayed(visit: Visit, against: str) -> Data:
    records, run_id = records_of(visit), visit.path["run"]
    await seen(visit, records)  # of a run of someone else no call is read, and nothing is compiled for it
    async with visit.explorer.whole_runs.held(visit.visitor.name):
        outline = await records.outline(run_id, calls=_MOST + 1)
        as_made = _as_made(visit, outline)
        build, problem = await _build(as_made, against)
        rows = [] if build is None else await _checked(visit, records, build)
    await seen(visit, records)  # again, so that all that was read before has been looked at
    return {
        "run": run_id,
        "user": outline.user,
        "agent": as_made.view.agent,
        "may_compare": visit.may_compare,
        "against": against,
        "label": "" if build is None else build.label,
        "problem": problem,
        "calls": rows,
        "left_out": len(outline.begins) - len(rows),
        "has_more": not outline.is_whole,
        "changed": sum(row["verdict"] != "same" for row in rows),
    }


def _as_made(visit: Visit, outline: Outline) -> Visit:
    """Return the visit as the agent that made the calls, unless another one was chosen or it is not in this build."""
    agent = next(iter(outline.agents)) if len(outline.agents) == 1 else ""
    if "agent" in visit.fields or agent not in visit.explorer.runtime.catalog.section("agents"):
        return visit
    return visit.with_view(replace(visit.view, agent=agent))


async def _build(visit: Visit, against: str) -> tuple[_Build | None, str]:
    """Return this build, or that of another version; None, and why, for one that cannot be had."""
    if not against:
        return _Build(_THIS_BUILD, visit.explorer.runtime.catalog, visit.run.effective), ""
    found, problem = await other_version(visit, against)
    return None if found is None else _Build(found.label, found.catalog, found.run.effective), problem


async def _checked(visit: Visit, records: Records, build: _Build) -> list[Data]:
    """Check the first calls of a run, of which a page is in memory at a time."""
    rows: list[Data] = []
    end = monotonic() + _SECONDS
    for number in range(1, -(-_MOST // _PAGE) + 1):
        page = await records.calls(visit.path["run"], number, _PAGE)
        calls = page.calls[: _MOST - len(rows)]
        for at in range(0, len(calls), _PIECE):
            if monotonic() >= end:
                return rows
            rows += await visit.aside(_rows, build, calls[at : at + _PIECE], page.is_cut)
        if not page.has_more:
            break
    return rows


def _rows(build: _Build, calls: Sequence[RecordedCall], is_cut: bool) -> list[Data]:
    known = KnownTools(build.catalog.spelled_tools())
    idents = [known.find(call.tool) for call in calls]
    texts = [_texts(call) for call in calls]
    lines = [
        b"" if text is None or len(found) != 1 else _line(found[0], side, text)
        for found, pair in zip(idents, texts, strict=True)
        for side, text in zip(("arguments", "result"), pair, strict=True)
    ]
    report = replayed(lines, [build.catalog])
    verdicts = [_Verdict() for _ in lines]
    for each in report.rejections:
        verdicts[each.line - 1] = _Verdict(each.issues)
    for number in report.broken:
        verdicts[number - 1] = _Verdict(is_broken=True)
    return [
        {
            **_row(build, call, found[0] if len(found) == 1 else "", pair, verdicts[2 * at : 2 * at + 2]),
            "state": "ends later" if is_cut and call.result is None else call.state,
        }
        for at, (call, found, pair) in enumerate(zip(calls, idents, texts, strict=True))
    ]


def _row(
    build: _Build, call: RecordedCall, ident: str, texts: tuple[str | None, str | None], verdicts: Sequence[_Verdict]
) -> Data:
    was_accepted = not any(each.stage == "decode" and each.decision for each in call.stages)
    answer = build.effective.policy_decision(ident).answer.value if ident in build.effective else ""
    then = next((_DECIDED.get(each.decision, "") for each in call.stages if each.stage == "permission"), "")
    problems = list(_problems(texts, verdicts, was_accepted=was_accepted)) if ident else []
    if not ident:
        problems.append("there is no such tool")
    elif not answer:
        problems.append("the tool is missing for this agent")
    elif then and then != answer:
        problems.append(f"policy: {then} then, {answer} in this replay")
    return {
        "tool": call.tool,
        "call": call.tool_call_id,
        "is_redacted": any(text is not None and REDACTED in text for text in texts),
        "had_args": texts[0] is not None,
        "then": then,
        "answer": answer,
        "verdict": "changed" if problems else "same",
        "problems": problems,
    }


def _problems(
    texts: tuple[str | None, str | None], verdicts: Sequence[_Verdict], *, was_accepted: bool
) -> Iterator[str]:
    """Yield what differs for the args, and for the result, of the same tool."""
    for side, text, found, was in zip(("args", "result"), texts, verdicts, (was_accepted, True), strict=True):
        if text is None or found.is_accepted == was:
            continue
        if found.is_accepted:
            yield f"{side}: accepted now, and not then"
        elif found.is_broken:
            yield f"{side}: not readable as JSON of a call"
        for issue in found.issues:
            yield f"{side}: {issue.pointer or 'the whole value'}: {issue.hint}"


def _texts(call: RecordedCall) -> tuple[str | None, str | None]:
    """Return the args and the result on record as JSON; None for what is not there."""
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    return args_of(call), json.dumps(content["value"], ensure_ascii=False) if "value" in content else None


def _line(tool: str, side: str, text: str) -> bytes:
    return f'{{"tool":{json.dumps(tool)},"{side}":{text}}}'.encode("utf-8", "surrogatepass")
