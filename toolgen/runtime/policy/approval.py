"""Approval: a host that asks before it makes a call, such as a framework or an engine, and answers that one call."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.policy.permission import PermissionRequest


class _Answer:
    """The answer to one question, which can be used once."""

    def __init__(self, question: PermissionRequest, decision: PermissionDecision) -> None:
        self._question = question_id(question)
        self._call = question.meta.run_id, question.meta.tool_call_id
        self._decision: PermissionDecision | None = decision

    def is_about(self, meta: ToolCallMeta) -> bool:
        """Whether it answers a question of this call, also if it was used."""
        return self._call == (meta.run_id, meta.tool_call_id)

    def take(self, request: PermissionRequest) -> PermissionDecision | None:
        """Return the decision if it is about this request, and was not used before."""
        if question_id(request) != self._question:
            return None
        decision, self._decision = self._decision, None
        return decision


_answer: Final[ContextVar[_Answer | None]] = ContextVar("toolgen_approval", default=None)

_NOBODY: Final = "it needs an approval, and no one can be asked here"


def ask_before_call(request: PermissionRequest) -> PermissionDecision:
    """Answer as decided before the call: `Runtime(..., permission=ask_before_call)`, for adapters and engines.

    These ask a person by their own means, with `Runtime.permission_request`, and make the call with the answer. A call
    that they did not make is denied, and so is one that another call makes: an approval counts once, for the question
    that was asked (`question_id`).
    """
    answer = _answer.get()
    decision = None if answer is None else answer.take(request)
    if decision is None:
        decision = PermissionDecision(decision=Decision.DENY, reason=request.obstacle(None) or _NOBODY)
    return decision


@contextmanager
def answered(question: PermissionRequest, decision: PermissionDecision) -> Generator[None]:
    """Let `ask_before_call` answer the question of the call that is made in this context.

    The answer alone decides about that call: no grant that was given meanwhile lets a call run that was denied.
    """
    token = _answer.set(_Answer(question, decision))
    try:
        yield
    finally:
        _answer.reset(token)


def is_answered(meta: ToolCallMeta) -> bool:
    """Whether a question about this call was answered before it was made."""
    answer = _answer.get()
    return answer is not None and answer.is_about(meta)


def question_id(question: PermissionRequest, scope: str = "") -> str:
    """Return the id of a question, which its answer has to name. Equal questions about one call have equal ids.

    It covers all that an answer decides about: the tool as it was compiled, the args, where they lead, why it is asked,
    the user, and the call. `scope` names what the id of the call is unique in, by default the run.
    """
    meta = question.meta
    about = {**_shown(question), "hook": ""}  # hooks are asked when the call is made
    identity = [scope or meta.run_id, meta.tool_call_id, meta.user, question.contract, about]
    return f"q_{sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]}"


def question_data(question: PermissionRequest, scope: str = "") -> dict[str, Any]:
    """Return a question as JSON, to show or store it, with its id in `scope`. Secrets are redacted."""
    return {"id": question_id(question, scope), **_shown(question)}


def _shown(question: PermissionRequest) -> dict[str, Any]:
    approvers = {} if question.approvers is None else {"approvers": question.approvers.as_json()}
    return {
        **approvers,
        "tool": question.tool_name,
        "permission": question.permission,
        "arguments": question.arguments.decode(),
        "summary": question.summary,
        "confirm": question.confirm,
        "request": question.request,
        "program": question.program,
        "cwd": question.cwd,
        "env": list(question.env),
        "hosts": list(question.hosts),
        "tags": sorted(question.tags),
        "hook": question.hook,
        "scope": None if question.scope is None else [list(pair) for pair in question.scope],
        "dangerous": question.dangerous,
        "reasons": list(question.reasons),
        "suggested": str(question.suggested),
        "agent": question.agent,
        "ancestors": [asdict(each) for each in question.meta.ancestors],
    }


def decision_of(answer: Any) -> PermissionDecision:
    """Read an answer to a question: a `Decision` or its text, True or False, or `{"decision": …, "reason": …}`.

    A denial may also have a `proposal`, which is not checked here. Anything else is a denial.
    """
    if isinstance(answer, PermissionDecision):
        return answer
    given, reason = (answer.get("decision"), answer.get("reason", "")) if is_object(answer) else (answer, "")
    if isinstance(given, bool):
        given = Decision.ALLOW_ONCE if given else Decision.DENY
    if isinstance(given, str) and given in set(Decision) and isinstance(reason, str):
        proposal = answer.get("proposal") if is_object(answer) else None
        try:
            return PermissionDecision(decision=Decision(given), reason=reason, proposal=proposal)
        except ValueError as error:
            return PermissionDecision(decision=Decision.DENY, reason=str(error))
    return PermissionDecision(decision=Decision.DENY, reason="the answer was no decision")
