"""FastMCP: the tools of a run, mounted into a server of one's own. Needs the extra `fastmcp`."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from json import loads
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pydantic import PrivateAttr, ValidationError

from toolgen.adapters.bridge import Bridge
from toolgen.contract.extras import MissingExtra
from toolgen.runtime.calls.result import SENT_AS_TEXT
from toolgen.runtime.policy.approval import decision_of
from toolgen.runtime.policy.approvers import ANONYMOUS_CLIENT, Approver
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import ASKED_AGAIN, DENIAL_FIELDS, problem_text, typed_proposal
from toolgen.runtime.policy.terminal import described
from toolgen.schema.json_values import compact_json, is_object

try:
    from fastmcp.server.dependencies import get_context
    from fastmcp.server.providers.base import Provider
    from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
    from mcp_types import (
        ElicitRequest,
        ElicitRequestFormParams,
        ElicitResult,
        InputRequiredResult,
        ToolAnnotations,
    )
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS
except ImportError as error:
    raise MissingExtra("tools for FastMCP need it", "fastmcp") from error

if TYPE_CHECKING:
    from fastmcp import Context, FastMCP

    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.protocol import OfferedTool
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run

__all__ = ["add_tools"]

_KEY: Final = "decision"

KEPT: Final = 1_000
"""Questions that wait for an answer in another request, at most; then the oldest of the user with most of them ends."""

_NOT_OPEN: Final = "this answers no open question: nothing was run; make the call again without `requestState`"

_NOT_ALLOWED: Final = PermissionDecision(decision=Decision.DENY, reason="the person did not allow it")

_COLUMNS: Final = 100
"""Columns of a question: clients show it as text."""


def add_tools(
    server: FastMCP[Any],
    runtime: Runtime,
    run: Run,
    *,
    meta: Callable[[Context], ToolCallMeta] | None = None,
    presentation: Presentation | None = None,
) -> None:
    """Add the tools of a run to a FastMCP server, beside its own.

    `meta` returns the user and session of a call by its `Context`; ids that it leaves out are those of the run.
    `presentation` is how the tools are shown (`ToolUse.presentation`). The list is made for each request.

    With `permission=ask_before_call`, the person behind the client is asked: by elicitation, or in the revision
    2026-07-28 by an `input_required` result. A client that can do neither is denied. A denial may have a reason and a
    proposal; the person is asked again while that does not fit the tool. An answer counts once, in this process, for
    the same call; any other one is an error. A failed call is a result with `isError`; the value of a
    successful one is its structured content, if its schema is that of an object. Where that is larger than the limit
    of results, the result is an error too: its text says that the call succeeded, and where all of it is.
    """
    server.add_provider(RunTools(Bridge(runtime, run, meta, presentation, provider="mcp")))


class _Question(NamedTuple):
    """A question that waits for an answer in another request."""

    id: str
    digest: str
    """That of the args of its call."""
    user: str | None


Open: TypeAlias = "OrderedDict[str, _Question]"
"""Questions by the ids of their calls."""


class RunTools(Provider):
    """The tools of one run. `add_tools` makes it."""

    def __init__(self, bridge: Bridge[Context]) -> None:
        super().__init__()
        self._bridge = bridge
        self._open: Open = OrderedDict()
        self._listed: tuple[object, list[Tool]] = (None, [])

    async def _list_tools(self) -> Sequence[Tool]:
        offered = self._bridge.tools
        if self._listed[0] is not offered:
            self._listed = offered, [RunTool.of(self._bridge, tool, self._open) for tool in offered]
        return self._listed[1]


class RunTool(Tool):
    """One tool of a run."""

    _bridge: Bridge[Context] = PrivateAttr()
    _open: Open = PrivateAttr()

    @classmethod
    def of(cls, bridge: Bridge[Context], tool: OfferedTool, open_: Open) -> RunTool:
        """Return a tool of the bridge, which keeps its open questions in `open_`."""
        made = cls(
            name=tool.name,
            title=tool.title or None,
            description=tool.description,
            parameters=dict(tool.args),
            output_schema=dict(tool.result) if _is_object_schema(tool.result) else None,
            annotations=ToolAnnotations(read_only_hint=tool.is_readonly),
        )
        made._bridge, made._open = bridge, open_
        return made

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Make a call, after the person was asked where that is necessary."""
        context, payload = get_context(), compact_json(arguments)
        digest = sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()
        state = context.request_state if _is_modern(context) else None
        call = await self._bridge.read(self.name, payload, state or f"call_{token_hex(16)}", context)
        decision: PermissionDecision | None = None
        problem = ""
        if state is not None:
            responses = context.input_responses
            open_ = self._open.get(state)
            if open_ is None or open_[:2] != (call.question_id, digest) or (responses and _KEY not in responses):
                return ToolResult(content=_NOT_OPEN, is_error=True)
            if responses:
                del self._open[state]
                try:
                    decision = _decision(responses[_KEY], call.question)
                except ValueError as error:
                    problem = problem_text(error)
        if call.question is not None and decision is None:
            asked = await _asked(context, call.question, problem)
            if isinstance(asked, ElicitRequest):
                call_id = call.question.meta.tool_call_id
                self._open[call_id] = _Question(call.question_id, digest, call.question.meta.user)
                _end_oldest(self._open)
                return InputRequiredToolResult(InputRequiredResult(input_requests={_KEY: asked}, request_state=call_id))
            decision = asked
        outcome = await self._bridge.make(call, decision)
        result = outcome.result
        if self.output_schema is None or outcome.is_error or result is None:
            return ToolResult(content=outcome.text, is_error=outcome.is_error)
        if result.is_cut:
            return ToolResult(content=f"{SENT_AS_TEXT}\n{outcome.text}", is_error=True)
        return ToolResult(content=outcome.text, structured_content=loads(result.shown_payload))


def _end_oldest(questions: Open) -> None:
    while len(questions) > KEPT:
        [(most, _)] = Counter(each.user for each in questions.values()).most_common(1)
        del questions[next(call for call, each in questions.items() if each.user == most)]


def _is_object_schema(schema: Any) -> bool:
    return is_object(schema) and schema.get("type") == "object"


def _is_modern(context: Context) -> bool:
    """Whether a question ends the request, and the answer comes with another one."""
    request = context.request_context
    return request is not None and request.protocol_version in MODERN_PROTOCOL_VERSIONS


async def _asked(context: Context, question: PermissionRequest, problem: str) -> PermissionDecision | ElicitRequest:
    """Ask the person, or return the request that asks; in the latest revision the answer comes with another request.

    `problem` is what was wrong with the last answer.
    """
    if obstacle := question.obstacle(_person(question)):
        return decision_of({_KEY: False, "reason": obstacle})
    request = context.request_context
    capabilities = None if request is None else request.session.client_capabilities
    if request is None or capabilities is None or capabilities.elicitation is None:
        return decision_of({_KEY: False, "reason": "the client cannot ask a person: it does not support elicitation"})
    form = _form(question)
    for _ in range(ASKED_AGAIN):
        message = problem + _message(question)
        if _is_modern(context):
            return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=form))
        try:
            answer = await context.session.elicit_form(message, form, context.request_id)
        except ValidationError:
            return decision_of({_KEY: False, "reason": "the client answered the question in another way than MCP says"})
        try:
            return _decision(answer, question)
        except ValueError as error:
            problem = problem_text(error)
    return _NOT_ALLOWED


def _decision(answer: Any, question: PermissionRequest | None) -> PermissionDecision:
    """Return the decision of a form. Raises ValueError for a proposal that does not fit, or goes with no denial."""
    if not isinstance(answer, ElicitResult) or answer.action != "accept" or not answer.content or question is None:
        return _NOT_ALLOWED
    reason, proposed = (str(answer.content.get(name) or "") for name in ("reason", "proposal"))
    proposal = typed_proposal(proposed, question.check_proposal)
    decision = decision_of({_KEY: answer.content.get(_KEY), "reason": reason})
    return replace(decision, proposal=proposal, people=(_person(question),))


def _person(question: PermissionRequest) -> Approver:
    """Return who is behind the client: the user of the call."""
    return Approver(question.meta.user or ANONYMOUS_CLIENT, via="fastmcp")


def _message(question: PermissionRequest) -> str:
    return described(question, _COLUMNS)


def _form(question: PermissionRequest) -> dict[str, Any]:
    choices = [str(each) for each in Decision if question.scope is not None or each is not Decision.ALLOW_FOR_SESSION]
    decision = {"type": "string", "title": "Decision", "enum": choices}
    return {
        "type": "object",
        "properties": {_KEY: decision, **DENIAL_FIELDS},
        "required": [_KEY],
    }
