"""Asking: questions to the person behind the client of a server, for permission above all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.terminal import described
from toolgen.serve.calls import Question, current_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime.policy.permission import PermissionRequest

_COLUMNS: Final = 100

_CHOICES: Final = {
    Decision.ALLOW_ONCE: "Allow once",
    Decision.ALLOW_FOR_SESSION: "Allow for this session, with this scope",
    Decision.DENY: "Deny",
}


class CannotAsk(RuntimeError):
    """There is no person behind a call, or no way to ask."""


async def ask_person(message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Ask the person behind the client, in a handler, by a form whose fields `schema` describes.

    By elicitation, or by an `input_required` result where the protocol has these; MCP allows an object of strings,
    numbers, booleans and choices. Returns the fields as the client sent them, which may not fit; None where the
    person declines or cancels. Raises `CannotAsk`.
    """
    call = current_call.get()
    if call is None:
        raise CannotAsk("no client can be asked: the call did not come through a server")
    if not call.can_ask:
        raise CannotAsk("the client cannot ask a person: it does not support elicitation")
    return await call.ask(Question(message, schema))


async def ask_client(request: PermissionRequest) -> PermissionDecision:
    """Ask the person behind the client for permission: `Runtime(..., permission=ask_client)`.

    A client that cannot ask, a form that is declined or cancelled, and a call that came through no server are denials.
    """
    may_last = request.scope is not None
    choices = [choice for choice in Decision if may_last or choice is not Decision.ALLOW_FOR_SESSION]
    try:
        fields = await ask_person(described(request, _COLUMNS), _form(choices))
    except CannotAsk as error:
        return _denied(str(error))
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
