"""Served calls: calls that go on while their client is told of progress, and the questions that a person is asked.

In the revision 2026-07-28 a question ends the request: the client comes back with the answer in another one. So a call
is a task of its own, and whatever happens to it is an event for the request that attends to it now.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolgen.runtime.base.shares import place_left
from toolgen.runtime.calls.result import RAW, SENT_AS_TEXT
from toolgen.runtime.policy.approvers import ANONYMOUS_CLIENT, Approver
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import ASKED_AGAIN, DENIAL_FIELDS, problem_text, typed_proposal
from toolgen.runtime.policy.terminal import described
from toolgen.runtime.runs.run import current_turn
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from toolgen.contract.records import ContentBlock, ToolResult
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Turn

# Answers: results of calls, as results of `tools/call`.

_NOT_READ: Final = object()


def answer_of(result: ToolResult[Any], *, is_structured: bool) -> dict[str, Any]:
    """Return the `CallToolResult` of a call, as JSON. A failed call is an answer too, with the text that models get.

    `is_structured` says whether the tool was listed with an output schema: then the value itself is sent beside the
    text. What came from another MCP server goes on as it came. Of a result that is cut there is only the text: clients
    refuse an answer of a tool with an output schema that has no structured content, so that is an error.
    """
    raw: Mapping[str, Any] = {} if result.is_cut else result.metadata.get(RAW, {})
    content: list[Any] = list(raw.get("content", []))
    if raw or result.blocks or not result.payload:
        # The executor makes a block of each that was sent; what stages added stands behind them.
        content += map(_content, result.blocks[len(content) :] if raw else result.blocks)
        value = _NOT_READ
    else:
        value = json.loads(result.payload)
        content.append({"type": "text", "text": value if isinstance(value, str) else result.payload.decode()})
    lacks_value = is_structured and result.is_cut
    if lacks_value:
        content.insert(0, {"type": "text", "text": SENT_AS_TEXT})
    if result.error is not None or lacks_value:
        return {"resultType": "complete", "content": content, "isError": True}
    answer: dict[str, Any] = {"resultType": "complete", "content": content, "isError": False}
    if "_meta" in raw:
        answer["_meta"] = raw["_meta"]
    if is_structured or "structuredContent" in raw:
        answer["structuredContent"] = json.loads(result.payload) if value is _NOT_READ else value
    return answer


def _content(block: ContentBlock) -> dict[str, Any]:
    return {"type": "text", "text": block.data if isinstance(block.data, str) else compact_json(block.data)}


_PROGRESS: Final = 1_000
"""Reports that may wait to be sent, at most; a client that does not read gets no more of them."""

QUESTION_SECONDS: Final = 3_600.0
"""How long a call waits for an answer at most; `permission_timeout` of the runtime is shorter."""

_CANCEL_SECONDS: Final = 2.0
"""How long a cancelled call is waited for: a handler may ignore it, and a thread cannot be cancelled."""

current_call: ContextVar[ServedCall | None] = ContextVar("current_call", default=None)
"""The call that a piece of code runs for; also in the runs of agents that it started."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is, as MCP says it."""

    progress: float
    total: float | None
    message: str | None


class Rising:
    """What a call reports of its progress, as MCP takes it: with numbers that increase with each notification."""

    def __init__(self) -> None:
        self._progress: float | None = None

    def next(self, data: Mapping[str, Any]) -> Progress | None:
        """Return the next progress; None if a report has a number that is not higher than that before."""
        said = _number(data.get("progress"))
        progress = (self._progress or 0) + 1 if said is None else said
        if self._progress is not None and progress <= self._progress:
            return None
        self._progress = progress
        message = data.get("message")
        if message is None and said is None:
            message = compact_json(data)
        return Progress(progress, _number(data.get("total")), _text_or_json(message))


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person behind the client, as a form: `schema` is that of its fields.

    `answer` gets the fields of the form; None where there is no answer. `turn` is the one in which it is asked for a
    grant, if other calls wait for the answer.
    """

    message: str
    schema: Mapping[str, Any]
    answer: asyncio.Future[Mapping[str, Any] | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    turn: Turn | None = field(default_factory=current_turn.get)


class ServedCall:
    """One call of a client. `user` is the user of the token that it came with; None without tokens."""

    def __init__(self, call_id: str, tool: str, user: str | None, *, can_ask: bool) -> None:
        self.id = call_id
        self.tool = tool
        self.user = user
        self.can_ask = can_ask
        self.questions = 0
        self.open_question: Question | None = None
        self._events: deque[Progress | Question | None] = deque()
        self._happened: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._progress: Final = Rising()
        self._task: asyncio.Task[ToolResult[Any]] | None = None

    def start(self, call: Callable[[], Coroutine[Any, Any, ToolResult[Any]]]) -> None:
        """Start the call; code that runs for it finds it in `current_call`."""
        token = current_call.set(self)
        try:
            self._task = asyncio.create_task(self._run(call))
        finally:
            current_call.reset(token)

    async def _run(self, call: Callable[[], Coroutine[Any, Any, ToolResult[Any]]]) -> ToolResult[Any]:
        try:
            return await call()
        finally:
            self._add(None)  # a callback of the task would come one turn of the loop later

    @property
    def task(self) -> asyncio.Task[ToolResult[Any]]:
        """The task, once the call is started."""
        assert self._task is not None
        return self._task

    async def next_event(self) -> Progress | Question | None:
        """Return what happens next: None once the call is over."""
        if self.open_question is not None and not self.open_question.answer.done():
            return self.open_question
        while not self._events:
            self._happened = self._loop.create_future()
            await self._happened
        event = self._events.popleft()
        if isinstance(event, Question):
            self.questions += 1
            self.open_question = event
        return event

    def _add(self, event: Progress | Question | None) -> None:
        self._events.append(event)
        if self._happened is not None and not self._happened.done():
            self._happened.set_result(None)

    async def ask(self, question: Question) -> Mapping[str, Any] | None:
        """Ask the person, and wait for the fields of the form; None where there is no answer."""
        self._add(question)
        try:
            async with place_left(), asyncio.timeout(QUESTION_SECONDS):
                return await question.answer
        except TimeoutError:
            return None

    def answer(self, fields: Mapping[str, Any] | None) -> None:
        """Answer the open question, if the call still waits for it."""
        question = self.open_question
        if question is not None and not question.answer.done():
            question.answer.set_result(fields)

    def refuse(self, error: CannotAsk) -> None:
        """Say why the open question has no answer, if the call still waits for it."""
        question = self.open_question
        if question is not None and not question.answer.done():
            question.answer.set_exception(error)

    def leave(self) -> bool:
        """Take note that no request attends to the call: its question may never be answered, so others may ask.

        Returns whether the call goes on.
        """
        question = self.open_question
        if question is not None and question.turn is not None:
            question.turn.end()
        goes_on = not self.task.done()
        if not goes_on:
            self._task = None  # its context has this call: only the garbage collector would free both
        return goes_on

    def report(self, data: Mapping[str, Any]) -> None:
        """Take note of progress, in any thread."""
        with suppress(RuntimeError):  # the loop is closed, and nobody waits for it
            self._loop.call_soon_threadsafe(self._report, data)

    def _report(self, data: Mapping[str, Any]) -> None:
        if len(self._events) < _PROGRESS and (progress := self._progress.next(data)) is not None:
            self._add(progress)

    async def cancel(self) -> None:
        """Cancel the call, and wait until it is over, for two seconds at most."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([self._task], timeout=_CANCEL_SECONDS)
            self._add(None)  # the task may not have begun


def _number(value: Any) -> float | None:
    """Return a number as a client reads it; None for what is none, or is not finite there."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def _text_or_json(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else compact_json(value)


# Asking: questions to the person behind the client of a server, for permission above all.

_COLUMNS: Final = 100

_CHOICES: Final = {
    Decision.ALLOW_ONCE: "Allow once",
    Decision.ALLOW_FOR_SESSION: "Allow for this session, with this scope",
    Decision.DENY: "Deny",
}


ODD_ANSWER: Final = "the client answered the question in another way than MCP says"


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
    Who answers is the user of the call; where a policy says who may, and that user alone may not, it denies unasked.
    A denial may have a reason and a proposal; the person is asked again while that does not fit the tool.
    """
    person = Approver(request.meta.user or ANONYMOUS_CLIENT, via="serve")
    if obstacle := request.obstacle(person):
        return _denied(obstacle)
    may_last = request.scope is not None
    choices = [choice for choice in Decision if may_last or choice is not Decision.ALLOW_FOR_SESSION]
    problem = ""
    for _ in range(ASKED_AGAIN):
        try:
            fields = await ask_person(problem + question_text(request), permission_form(choices))
        except CannotAsk as error:
            return _denied(str(error))
        try:
            return replace(decision_of_form(fields, choices, request.check_proposal), people=(person,))
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
    """Ask by elicitation. None where the person declines, or the call no longer waits, or the client cannot ask.

    Raises `CannotAsk` for an answer that is not one of MCP.
    """
    with anyio.CancelScope() as scope:
        question.answer.add_done_callback(lambda _: scope.cancel())
        try:
            answer = await ctx.session.elicit_form(question.message, dict(question.schema), ctx.request_id)
        except MCPError:
            return None
        except ValidationError:
            raise CannotAsk(ODD_ANSWER) from None
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
