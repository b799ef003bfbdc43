"""Approval: a host that asks before it makes a call, such as a framework or an engine, and answers that one call."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from collections.abc import Generator

    from toolgen.runtime.policy.permission import PermissionRequest


class _Answer:
    """The answer to one question, which can be used once."""

    def __init__(self, question: PermissionRequest, decision: PermissionDecision) -> None:
        self._question = _identity(question)
        self._decision: PermissionDecision | None = decision

    def take(self, request: PermissionRequest) -> PermissionDecision | None:
        """Return the decision if it is about this request, and was not used before."""
        if _identity(request) != self._question:
            return None
        decision, self._decision = self._decision, None
        return decision


_answer: Final[ContextVar[_Answer | None]] = ContextVar("toolgen_approval", default=None)

_NOBODY: Final = PermissionDecision(decision=Decision.DENY, reason="it needs an approval, and no one can be asked here")


def ask_before_call(request: PermissionRequest) -> PermissionDecision:
    """Answer as decided before the call: `Runtime(..., permission=ask_before_call)`, for adapters and engines.

    These ask a person by their own means, with `Runtime.permission_request`, and make the call with the answer. A call
    that they did not make is denied, and so is one that another call makes: an approval counts once, for the tool,
    args, run and id that it was asked for.
    """
    answer = _answer.get()
    return (answer and answer.take(request)) or _NOBODY


@contextmanager
def answered(question: PermissionRequest, decision: PermissionDecision) -> Generator[None]:
    """Let `ask_before_call` answer the question of the call that is made in this context."""
    token = _answer.set(_Answer(question, decision))
    try:
        yield
    finally:
        _answer.reset(token)


def question_data(question: PermissionRequest) -> dict[str, Any]:
    """Return a question as JSON, to show or store it. Secrets are redacted."""
    return {
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

    Anything else is a denial.
    """
    if isinstance(answer, PermissionDecision):
        return answer
    given, reason = (answer.get("decision"), answer.get("reason", "")) if is_object(answer) else (answer, "")
    if isinstance(given, bool):
        given = Decision.ALLOW_ONCE if given else Decision.DENY
    if isinstance(given, str) and given in set(Decision) and isinstance(reason, str):
        return PermissionDecision(decision=Decision(given), reason=reason)
    return PermissionDecision(decision=Decision.DENY, reason="the answer was no decision")


def _identity(request: PermissionRequest) -> tuple[object, ...]:
    return (request.tool_name, request.arguments, request.meta.run_id, request.meta.tool_call_id)
