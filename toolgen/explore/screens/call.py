"""Call: one call through the runtime, with its stages, its progress, its question and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.args_editor import LinkArgs, ShownArgs, link_args, payload_of, shown_args
from toolgen.explore.calls import PageCall, media_of, result_data
from toolgen.explore.json_text import json_lines
from toolgen.explore.links import address
from toolgen.explore.progress import progress_data
from toolgen.explore.screens.runs import CALLS
from toolgen.explore.visit import Refused
from toolgen.runtime.base.shares import ShareUsedUp
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import typed_proposal
from toolgen.runtime.redact.call_secrets import RedactedSecret

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall

LONGEST_REASON: Final = 10_000

_REPORTS: Final = 50
"""Reports of progress that are shown, the last ones."""


async def start_call(visit: Visit) -> Data:
    """Start a call of a tool, with the args of the form or of the JSON."""
    calls, run = visit.explorer.calls, visit.new_run()
    try:
        payload, args = await visit.aside(_sent, visit)
    except RedactedSecret as error:
        raise Refused(400, str(error)) from None
    try:
        made = calls.start(visit.tool, payload, args, run, visit.visitor, visit.view)
    except ShareUsedUp:
        told = "as many calls are running as there are places for: wait until one has ended, or cancel one of yours"
        raise Refused(429, told) from None
    return {"call": made.id, "tool": made.tool, "location": _address(visit, made)}


def _sent(visit: Visit) -> tuple[str, ShownArgs]:
    catalog = visit.explorer.runtime.catalog
    payload = payload_of(catalog, visit.tool, visit.fields)
    return payload, shown_args(catalog, visit.tool, payload)


async def call(visit: Visit) -> Data:
    """Return a call of the visitor: its state, and what is known of it so far."""
    made = found(visit)
    # One that has ended stays as it is, and what is known of another one is read without a wait.
    has_ended = made.result is not None
    shown = await visit.aside(_shown_result, visit, made) if has_ended else _NO_RESULT
    number, recorded, problem = await _recorded(visit, made) if has_ended else (0, None, "")
    args, args_left = visit.cut(made.args.text)
    link = visit.for_link(made.args.link)
    stages = () if recorded is None else recorded.stages
    latest = [*made.progress][: -_REPORTS - 1 : -1]
    progress = [progress_data(each, lambda text: visit.cut(text)[0]) for each in latest]
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
        "link": link.text,
        "link_left_out": link.left_out,
        "question": next((each.data for each in made.questions), None),
        "progress": progress[::-1],
        "stages": [{"stage": each.stage, "decision": each.decision, "us": each.us} for each in stages],
        "problem": made.problem or problem,
        "number": number,
        "may_save": visit.may_save and number > 0,
        **shown,
    }


_NO_RESULT: Final[Data] = {"result": None, "media": [], "proposed": "", "proposed_link": "", "proposed_left_out": ()}


def _shown_result(visit: Visit, made: PageCall) -> Data:
    """Return what a page shows of the result of a call."""
    result = result_data(made)
    assert result is not None
    text, left = visit.cut(json_lines(result["value"]))
    content = [_block(visit, each) for each in result["content"]]
    proposal = result["error"]["proposal"] if result["error"] is not None else None
    link = visit.for_link(LinkArgs() if proposal is None else link_args(proposal))
    return {
        "result": {**result, "value": None, "content": content, "text": text, "left_out": left},
        "media": [
            {"number": number, "kind": each.kind, "media_type": each.media_type, "bytes": len(each.content)}
            for number, each in enumerate(media_of(made), 1)
        ],
        "proposed": "" if proposal is None else json_lines(proposal),
        "proposed_link": link.text,
        "proposed_left_out": link.left_out,
    }


def _block(visit: Visit, block: Data) -> Data:
    data = block["data"]
    text, left = visit.cut(data if isinstance(data, str) else json_lines(data))
    return {"type": block["type"], "text": text, "left_out": left}


async def result(visit: Visit) -> Data:
    """Return the whole result of a call that has ended, to download."""
    made = found(visit)
    data = await visit.aside(result_data, made)
    return {"call": made.id, "tool": made.tool, "result": data}


async def answer(visit: Visit) -> Data:
    """Answer the `question` of a call: `decision` is `allow_once`, `allow_for_session` or `deny`, with a `reason`.

    A denial may have a `proposal`: args as JSON that the person would allow.
    """
    made = found(visit)
    asked = made.asked(visit.question)
    if asked is None:
        raise Refused(409, "the call does not ask this any more")
    decision = decision_of(visit, asked.request.check_proposal)
    if decision.decision is Decision.ALLOW_FOR_SESSION and asked.request.scope is None:
        raise Refused(400, "this can only be allowed once")
    if not await visit.explorer.may_answer(visit.visitor, asked.data):
        raise Refused(403, "you may not answer this")
    if not made.answer(asked, replace(decision, people=(visit.visitor.person,))):
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
    """Return the number of a call in its run, from 1, and what is on record of it; 0 for none.

    The last one says why the record cannot be read: the result is shown without it.
    """
    if visit.explorer.records is None:
        return 0, None, ""
    try:
        page = await visit.explorer.records.calls(made.run.meta.run_id or "", 1, CALLS)
    except RunNotFound:
        return 0, None, ""
    except StoreError as error:
        return 0, None, f"the record cannot be read: {error}"
    for number, each in enumerate(page.calls, 1):
        if each.tool_call_id == made.id:
            return number, each, ""
    return 0, None, ""
