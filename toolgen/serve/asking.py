"""Asking: permission questions, put to the person behind the client of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.terminal import described
from toolgen.serve.calls import Question, current_call

if TYPE_CHECKING:
    from toolgen.runtime.policy.permission import PermissionRequest

_COLUMNS: Final = 100

_CHOICES: Final = {
    Decision.ALLOW_ONCE: "Allow once",
    Decision.ALLOW_FOR_SESSION: "Allow for this session, with this scope",
    Decision.DENY: "Deny",
}


async def ask_client(request: PermissionRequest) -> PermissionDecision:
    """Ask the person behind the client for permission: `Runtime(..., permission=ask_client)`.

    By elicitation, or by an `input_required` result where the protocol has these. A client that can do neither, a form
    that is declined or cancelled, and a call that came through no server are denials.
    """
    call = current_call.get()
    if call is None:
        return _denied("nobody can be asked: the call did not come through a server")
    if not call.can_ask:
        return _denied("the client cannot ask a person: it does not support elicitation")
    may_last = request.scope is not None
    choices = [choice for choice in Decision if may_last or choice is not Decision.ALLOW_FOR_SESSION]
    fields = await call.ask(Question(described(request, _COLUMNS), _form(choices)))
    answer = None if fields is None else fields.get("decision")
    if answer not in choices:
        return _denied("the person did not allow it")
    return PermissionDecision(decision=Decision(answer))


def _denied(reason: str) -> PermissionDecision:
    return PermissionDecision(decision=Decision.DENY, reason=reason)


def _form(choices: list[Decision]) -> dict[str, Any]:
    titles = [{"const": str(choice), "title": _CHOICES[choice]} for choice in choices]
    decision = {"type": "string", "title": "Decision", "oneOf": titles}
    return {"type": "object", "properties": {"decision": decision}, "required": ["decision"]}
