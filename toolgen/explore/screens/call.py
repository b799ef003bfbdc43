"""Call: one call through the runtime, with its stages, its progress, its question and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.args_editor import payload_of
from toolgen.explore.calls import PageCall, TooManyCalls, media_of, result_data
from toolgen.explore.json_text import json_lines
from toolgen.explore.links import address
from toolgen.explore.progress import progress_data
from toolgen.explore.visit import Refused
from toolgen.record.calls import calls_of
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import typed_proposal

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall

LONGEST_REASON: Final = 10_000

_REPORTS: Final = 50
"""Reports of progress that are shown, the last ones."""


async def start_call(visit: Visit) -> Data:
    """Start a call of a tool, with the args of the form or of the JSON."""
    explorer = visit.explorer
    payload = payload_of(explorer.runtime.catalog, visit.tool, visit.fields)
    run = visit.new_run()
    try:
        made = explorer.calls.start(visit.tool, payload, run, visit.visitor, visit.view)
    except TooManyCalls as error:
        raise Refused(429, str(error)) from None
    return {"call": made.id, "tool": made.tool, "location": _address(visit, made)}


async def call(visit: Visit) -> Data:
    """Return a call of the visitor: its state, and what is known of it so far."""
    made = found(visit)
    result = result_data(made, visit.explorer.runtime)
    value, value_left = visit.cut("" if result is None else json_lines(result["value"]))
    args, args_left = visit.cut(json_lines(made.args))
    proposal = result["error"]["proposal"] if result is not None and result["error"] is not None else None
    number, recorded, problem = await _recorded(visit, made)
    stages = () if recorded is None else recorded.stages
    content = [] if result is None else [_block(visit, each) for each in result["content"]]
    return {
        "call": made.id,
        "tool": made.tool,
        "run": made.run.meta.run_id,
        "agent": made.run.agent,
        "user": made.run.meta.user,
        "view": visit.query_of(made.view),
        "state": made.state,
        "version": made.version,
        "args": args,
        "args_left_out": args_left,
        "question": None if made.question is None else made.question.data,
        "progress": [progress_data(each, lambda text: visit.cut(text)[0]) for each in list(made.progress)[-_REPORTS:]],
        "stages": [{"stage": each.stage, "decision": each.decision, "us": each.us} for each in stages],
        "problem": made.problem or problem,
        "number": number,
        "may_save": visit.may_save and number > 0,
        "media": [
            {"number": number, "kind": each.kind, "media_type": each.media_type, "bytes": len(each.content)}
            for number, each in enumerate(media_of(made), 1)
        ],
        "proposed": "" if proposal is None else json_lines(proposal),
        "result": None
        if result is None
        else {**result, "value": None, "content": content, "text": value, "left_out": value_left},
    }


def _block(visit: Visit, block: Data) -> Data:
    data = block["data"]
    text, left = visit.cut(data if isinstance(data, str) else json_lines(data))
    return {"type": block["type"], "text": text, "left_out": left}


async def result(visit: Visit) -> Data:
    """Return the whole result of a call that has ended, to download."""
    made = found(visit)
    return {"call": made.id, "tool": made.tool, "result": result_data(made, visit.explorer.runtime)}


async def answer(visit: Visit) -> Data:
    """Answer the question of a call: `decision` is `allow_once`, `allow_for_session` or `deny`, with a `reason`.

    A denial may have a `proposal`: args as JSON that the person would allow.
    """
    made = found(visit)
    asked = made.question
    if asked is None or asked.data["id"] != visit.fields.get("question"):
        raise Refused(409, "the call does not ask this any more")
    decision = decision_of(visit, asked.request.check_proposal)
    if decision.decision is Decision.ALLOW_FOR_SESSION and asked.request.scope is None:
        raise Refused(400, "this can only be allowed once")
    if not await visit.explorer.may_answer(visit.visitor, asked.data):
        raise Refused(403, "you may not answer this")
    if not made.answer(asked.data["id"], replace(decision, people=(visit.visitor.person,))):
        raise Refused(409, "the question was answered before")
    return {"call": made.id, "decision": str(decision.decision), "location": _address(visit, made)}


async def cancel(visit: Visit) -> Data:
    """Cancel a call that runs, and the agents that it started."""
    made = found(visit)
    if made.state != "ended":
        made.cancel()
    return {"call": made.id, "location": _address(visit, made)}


def _address(visit: Visit, made: PageCall) -> str:
    return address("calls", made.id, view=visit.query_of(made.view))


def decision_of(visit: Visit, check: Callable[[Any], dict[str, Any]]) -> PermissionDecision:
    """Return the decision of a form, with its reason and its proposal, which `check` takes. Raises `Refused`."""
    given, reason = visit.fields.get("decision", ""), visit.fields.get("reason", "")
    if given not in set(Decision):
        raise Refused(400, f"`decision` must be one of {', '.join(Decision)}")
    if len(reason) > LONGEST_REASON:
        raise Refused(400, f"a reason has at most {LONGEST_REASON:,} characters")
    try:
        proposal = typed_proposal(visit.fields.get("proposal", ""), check)
        return PermissionDecision(decision=Decision(given), reason=reason, proposal=proposal)
    except ValueError as error:
        raise Refused(400, str(error)) from None


def found(visit: Visit) -> PageCall:
    """Return the call of the path. Raises `Refused` for one of someone else, as if there were none."""
    made = visit.explorer.calls.find(visit.path["call"], visit.visitor)
    if made is None:
        raise Refused(404, "there is no such call")
    return made


async def _recorded(visit: Visit, made: PageCall) -> tuple[int, RecordedCall | None, str]:
    """Return the number of a call in its run, from 1, and what is on record of it, once it has ended; 0 for none.

    The last one says why the record cannot be read: the result is shown without it.
    """
    if made.result is None or visit.explorer.records is None:
        return 0, None, ""
    try:
        record = await visit.explorer.records.read(made.run.meta.run_id or "")
    except RunNotFound:
        return 0, None, ""
    except StoreError as error:
        return 0, None, f"the record cannot be read: {error}"
    for number, each in enumerate(calls_of(record), 1):
        if each.tool_call_id == made.id:
            return number, each, ""
    return 0, None, ""
