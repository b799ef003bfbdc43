"""Asking: questions to the person behind the client of a server, for permission above all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import ASKED_AGAIN, DENIAL_FIELDS, problem_text, typed_proposal
from toolgen.runtime.policy.terminal import described
from toolgen.serve.calls import Question, current_call

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

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
    A denial may have a reason and a proposal; the person is asked again while that does not fit the tool.
    """
    may_last = request.scope is not None
    choices = [choice for choice in Decision if may_last or choice is not Decision.ALLOW_FOR_SESSION]
    problem = ""
    for _ in range(ASKED_AGAIN):
        try:
            fields = await ask_person(problem + question_text(request), permission_form(choices))
        except CannotAsk as error:
            return _denied(str(error))
        try:
            return decision_of_form(fields, choices, request.check_proposal)
        except ValueError as error:
            problem = problem_text(error)
    return _denied("the person did not allow it")


def question_text(request: PermissionRequest) -> str:
    """Return the question for permission, for a person."""
    return described(request, _COLUMNS)


def decision_of_form(
    fields: Mapping[str, Any] | None, choices: Sequence[Decision], check: Callable[[Any], dict[str, Any]]
) -> PermissionDecision:
    """Return the decision that a person made in a form; anything but one of the choices denies.

    `check` takes the args that they propose. Raises ValueError for those that do not fit, or that come with a decision
    that is no denial.
    """
    fields = fields or {}
    for choice in choices:
        if choice == fields.get("decision"):
            reason, proposed = (str(fields.get(name) or "") for name in ("reason", "proposal"))
            return PermissionDecision(decision=choice, reason=reason, proposal=typed_proposal(proposed, check))
    return _denied("the person did not allow it")


async def elicited(ctx: ServerRequestContext[Any, Any], question: Question) -> Mapping[str, Any] | None:
    """Ask by elicitation. None where the person declines, or the call no longer waits, or the client cannot ask."""
    with anyio.CancelScope() as scope:
        question.answer.add_done_callback(lambda _: scope.cancel())
        try:
            answer = await ctx.session.elicit_form(question.message, dict(question.schema), ctx.request_id)
        except MCPError:
            return None
        return fields_of(answer)
    return None


def fields_of(answer: Any) -> Mapping[str, Any] | None:
    """Return the fields of a form that a client sent; None unless the person accepted it."""
    if getattr(answer, "action", None) != "accept":
        return None
    fields: Mapping[str, Any] | None = answer.content
    return fields


def is_modern(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether a request is of the revision 2026-07-28 or a later one."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client of a request can ask a person."""
    capabilities = ctx.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return is_modern(ctx) or ctx.session.can_send_request


def _denied(reason: str) -> PermissionDecision:
    return PermissionDecision(decision=Decision.DENY, reason=reason)


def permission_form(choices: Sequence[Decision]) -> dict[str, Any]:
    """Return the schema of the form in which a person makes a decision."""
    titles = [{"const": str(choice), "title": _CHOICES[choice]} for choice in choices]
    decision = {"type": "string", "title": "Decision", "oneOf": titles}
    fields = {"decision": decision, **DENIAL_FIELDS}
    return {"type": "object", "properties": fields, "required": ["decision"]}
