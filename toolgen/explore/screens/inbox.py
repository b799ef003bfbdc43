"""Inbox: what durable runs of the engine and calls of pages ask, the oldest first. One answer wins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from toolgen.engine.protocol import MOST_LISTED, AlreadyAnswered, NeedsOthers, NotApprover, NotAsked
from toolgen.explore.links import address
from toolgen.explore.screens.call import decision_of
from toolgen.explore.visit import Refused
from toolgen.runtime.events.records import DamagedRun, RunNotFound, StoreError
from toolgen.runtime.policy.approvers import ANYONE, Approvers

if TYPE_CHECKING:
    from toolgen.engine.protocol import Engine, RunInfo
    from toolgen.explore.visit import Data, Visit

_PAGE: Final = 50
"""Runs whose questions are on a page, and runs of others that are looked at for it."""


async def inbox(visit: Visit) -> Data:
    """Return a page of the questions that the visitor may see, with those that they may answer marked."""
    engine, page = visit.explorer.engine, _page(visit)
    made = visit.explorer.calls.of(visit.visitor) if page == 1 else ()
    questions = [await _shown(visit, question.data, None, each.id) for each in made for question in [*each.questions]]
    has_more = False
    problems: list[str] = []
    if engine is not None:
        try:
            asking, has_more = await _asking(visit, engine, page)
            for info in asking:
                try:
                    questions += await _of_run(visit, engine, info)
                except DamagedRun as error:  # the others are shown
                    if visit.visitor.may_see_user(info.user):
                        problems.append(str(error))
        except StoreError as error:
            raise Refused(500, f"the engine cannot be asked: {error}") from None
    return {
        "has_engine": engine is not None,
        "page": page,
        "has_more": has_more,
        "questions": questions,
        "problems": problems,
    }


def _page(visit: Visit) -> int:
    return visit.number("page", 1, MOST_LISTED // _PAGE)


async def _asking(visit: Visit, engine: Engine, page: int) -> tuple[list[RunInfo], bool]:
    """Return the runs whose questions are looked at for a page, the oldest first, and whether there is another page.

    Where the host says who may answer, runs of others are looked at beside the visitor's own, in turn of their users.
    """
    skip, visitor = (page - 1) * _PAGE, visit.visitor
    own = await engine.asking(user=None if visitor.sees_all else visitor.name, skip=skip, limit=_PAGE + 1)
    others: list[RunInfo] = []
    if visit.explorer.has_approvers and not visitor.sees_all:
        others = await engine.asking(in_turn=True, skip=skip, limit=_PAGE + 1)
    asking = own[:_PAGE] + [info for info in others[:_PAGE] if info.user != visitor.name]
    return sorted(asking, key=lambda info: info.updated), max(len(own), len(others)) > _PAGE


async def _of_run(visit: Visit, engine: Engine, info: RunInfo) -> list[Data]:
    try:
        asked = await engine.approvals(info.run_id)
    except RunNotFound:  # deleted meanwhile
        return []
    every = [
        await _shown(visit, dict(each.question) | {"user": info.user, "run_id": info.run_id}, info) for each in asked
    ]
    return [each for each in every if each["may_answer"] or visit.visitor.may_see_user(info.user)]


async def _shown(visit: Visit, data: dict[str, Any], info: RunInfo | None, call: str = "") -> Data:
    given = data.get("approvers")
    approvers = ANYONE if given is None else Approvers.from_json(given)
    refusal = approvers.refusal(data["user"], visit.visitor.person)
    may = not refusal and await visit.explorer.may_answer(visit.visitor, data)
    return {
        **data,
        "call": call,
        "since": None if info is None else datetime.fromtimestamp(info.updated, UTC).isoformat(timespec="seconds"),
        "agent": data.get("agent", ""),
        "who": "" if given is None else str(approvers),
        "may_answer": may,
        "refusal": refusal or ("" if may else "the host does not let you answer"),
    }


async def answer_run(visit: Visit) -> Data:
    """Answer a question of a durable run, by the ids of both: the first answer counts, and says who gave it."""
    engine = visit.explorer.engine
    if engine is None:
        raise Refused(404, "there is no engine here")
    run_id, question = visit.path["run"], visit.question
    made = decision_of(visit, dict)  # the engine knows the tool, and checks it
    data = await _asked(visit, engine, run_id, question)
    if not await visit.explorer.may_answer(visit.visitor, data):
        raise Refused(403, "you may not answer this")
    note = ""
    try:
        counted = await engine.decide(run_id, question, made, by=visit.visitor.person)
        note = str(counted)
    except NeedsOthers as error:
        note = f"noted: {error.why}"
    except AlreadyAnswered as error:
        raise Refused(409, f"someone was faster: {error.answer}") from None
    except NotAsked:
        raise Refused(409, "the run does not ask this any more") from None
    except NotApprover as error:
        raise Refused(403, str(error)) from None
    except ValueError as error:
        raise Refused(400, str(error)) from None
    return {
        "run": run_id,
        "question": question,
        "decision": str(made.decision),
        "note": note,
        "location": address("inbox", page=_page(visit) if "page" in visit.fields else ""),
    }


async def _asked(visit: Visit, engine: Engine, run_id: str, question: str) -> dict[str, Any]:
    """Return the question that is open, with its user; one that is not is for the engine to refuse."""
    info = await engine.info(run_id)
    asked = await engine.approvals(run_id)
    answers = await engine.answers(run_id)
    for each in asked:
        if each.id == question:
            return dict(each.question) | {"user": info.user, "run_id": run_id}
    if not visit.visitor.may_see_user(info.user):
        raise Refused(404, "there is no such run")
    counted = next((each for each in answers if each.question == question), None)
    raise Refused(409, f"someone was faster: {counted}" if counted else "the run does not ask this any more")
