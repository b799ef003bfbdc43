"""Durable calls: served calls that the workers of an engine make, and the tasks of the protocol for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    InputResponses,
    RequestParams,
)

from toolgen.contract.records import Ancestor, FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.engine.calls import CALL_PREFIX, call_request, call_result, failed_call, next_event
from toolgen.engine.protocol import AlreadyAnswered, NeedsOthers, NotApprover, NotAsked
from toolgen.engine.requests import text_problem
from toolgen.execute.mcp.executor import IDEMPOTENCY_KEY
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.runtime.policy.approvers import ANONYMOUS_CLIENT, Approver
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.proposal import ASKED_AGAIN, problem_text
from toolgen.schema.json_values import compact_json
from toolgen.serve.bounds import check_unfinished
from toolgen.serve.calls import (
    CannotAsk,
    Question,
    Rising,
    answer_of,
    can_ask,
    decision_of_form,
    elicited,
    fields_of,
    is_modern,
    permission_form,
    question_text,
)
from toolgen.serve.users import user_of_token

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolRequestParams

    from toolgen.engine.protocol import Approval, Engine, RunInfo
    from toolgen.engine.requests import RunRequest
    from toolgen.runtime.runs.run import Run
    from toolgen.serve.tool_listing import Offered, OfferedTools


# Served calls that an engine makes. A server keeps nothing of them, so another one may answer the next request.
#
# The state of a question, which a client brings back with its answer, is the run, the key of the question, and that of
# the call. It needs no seal: the id of the run follows from the user, the call and its key, so a state leads nowhere
# from another call, and the answer counts only for the question that the run still asks.

TASKS: Final = "io.modelcontextprotocol/tasks"
"""The extension of the protocol by which a call becomes a task; it is of the revision 2026-07-28."""

_TASK_SECONDS: Final = 2.0
"""How long a request waits before a call becomes a task, where the client has tasks."""

_REPORT_SECONDS: Final = 1.0
"""How often a request looks for the progress of its call."""

_POLL_MS: Final = 1_000
_LONGEST_KEY: Final = 1_000
_KEY: Final = "permission"

_CHOICES: Final = (Decision.ALLOW_ONCE, Decision.DENY)
"""What a person may choose: the run ends with the call, so there is no session to allow it for."""


class DurableCalls:
    """The calls of a server by an engine, in runs like the one that it was given, for the user of each token.

    While `is_stopping`, a request that is cancelled leaves its call to whoever asks for it next.
    """

    def __init__(self, engine: Engine, run: Run, tools: OfferedTools) -> None:
        self.engine: Final = engine
        self.is_stopping = False
        self._run: Final = run
        self._tools: Final = tools
        self._starting: Final = Counter[str | None]()

    async def call(
        self, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams, tool: Offered
    ) -> dict[str, Any] | InputRequiredResult:
        """Make a call, or go on with one whose question the client brings an answer to.

        A call without a key is cancelled with its request, because no other request could have its result.
        """
        known: set[str] = set()
        problem = ""
        starting: asyncio.Future[str] | None = None
        key = _key_of(params)
        if params.request_state is None:
            identity = key or token_hex(16)
            made = self._requested(tool, params, identity)
            run_id, starting = made.run_id, asyncio.ensure_future(self._start(made))
        else:
            run_id, question, identity = [*params.request_state.split(" ", 2), "", ""][:3]
            if not identity or run_id != self._requested(tool, params, identity).run_id:
                raise _no_such_call()
            await self.owned(run_id)
            responses = params.input_responses or {}
            if responses.keys() - {_KEY}:
                raise _not_open(", ".join(sorted(responses.keys() - {_KEY})))
            if _KEY in responses:
                try:
                    await self.answer(run_id, question, fields_of(responses[_KEY]))
                    known.add(question)
                except ValueError as error:  # the question is open, and is asked again
                    problem = problem_text(error)
        try:
            if starting is not None:
                await asyncio.shield(starting)
            reporting = asyncio.create_task(self._report(ctx, run_id)) if "progress_token" in (ctx.meta or {}) else None
            try:
                return await self._attend(ctx, run_id, identity, known, problem)
            finally:
                if reporting is not None:
                    reporting.cancel()
        except asyncio.CancelledError:
            if not key and starting is not None and not self.is_stopping:
                with anyio.CancelScope(shield=True), suppress(StoreError, MCPError):  # then it was not started
                    await self.engine.cancel(await starting)
            raise

    async def _start(self, made: RunRequest) -> str:
        """Start a call, or find the one with its key; return its run. Raises MCPError where its user has too many."""
        user = made.user
        of_user, of_all = self._starting[user], self._starting.total()  # of two that start here, one sees the other
        self._starting[user] += 1
        try:
            kept_of_user, kept_of_all = await self.engine.unfinished_calls(user)
            try:
                check_unfinished(of_user + kept_of_user, of_all + kept_of_all)
            except MCPError:
                with suppress(RunNotFound):
                    return (await self.engine.info(made.run_id)).run_id
                raise
            return await self.engine.start(made)
        finally:
            self._starting[user] -= 1
            if not self._starting[user]:
                del self._starting[user]

    async def owned(self, run_id: str) -> RunInfo:
        """Return the state of a call of the current user. Raises MCPError if there is none."""
        with suppress(RunNotFound):
            info = await self.engine.info(run_id)
            if run_id.startswith(CALL_PREFIX) and (info.user, info.agent) == (self._user, self._run.agent):
                return info
        raise _no_such_call()

    async def answer(self, run_id: str, question: str, fields: Mapping[str, Any] | None) -> None:
        """Pass a person's answer to a call. Others may have to allow it too: then it waits for them.

        A client may send an answer again, of which it does not know whether it came. Raises MCPError for one to a
        question that the call does not ask, or that was answered otherwise, and ValueError for a reason or a proposal
        that cannot be given.
        """
        decision = decision_of_form(fields, _CHOICES, _as_given)
        try:
            await self.engine.decide(run_id, question, decision, by=self._person)
        except AlreadyAnswered as error:
            if (error.answer.decision, error.answer.by) != (decision.decision, self._person.name):
                raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        except NotAsked as error:
            raise _not_open(question) from error
        except NeedsOthers:
            pass
        except NotApprover as error:  # its text says who may
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    def answer_of(self, result: ToolResult[Any], *, modern: bool) -> dict[str, Any]:
        """Return the result of a call as the protocol sends it."""
        tool = self._tools.find_ident(result.tool_name)
        is_structured = tool is not None and "outputSchema" in tool.entry(is_modern=modern)
        return answer_of(result, is_structured=is_structured)

    @property
    def _user(self) -> str | None:
        user = user_of_token()
        return self._run.meta.user if user is None else user

    @property
    def _person(self) -> Approver:
        return Approver(self._user or ANONYMOUS_CLIENT, via="serve")

    def _requested(self, tool: Offered, params: CallToolRequestParams, key: str) -> RunRequest:
        meta = ToolCallMeta(user=self._user, idempotency_key=key, attributes=self._run.meta.attributes)
        request = ToolRequest(name=tool.ident, payload=compact_json(params.arguments or {}))
        return call_request(request, meta, agent=self._run.agent, mode=self._run.mode, role=self._run.role)

    async def _report(self, ctx: ServerRequestContext[Any, Any], run_id: str) -> None:
        """Pass on what a worker writes of the progress of a call, until this is cancelled, or the database fails."""
        rising, before = Rising(), None
        while True:
            try:
                data = await self.engine.progress(run_id)
            except StoreError:  # the call itself says so
                return
            if data is not None and data != before:
                before = data
                if (progress := rising.next(data)) is not None:
                    await ctx.session.report_progress(progress.progress, progress.total, progress.message)
            await asyncio.sleep(_REPORT_SECONDS)

    async def _attend(
        self, ctx: ServerRequestContext[Any, Any], run_id: str, identity: str, known: set[str], problem: str
    ) -> dict[str, Any] | InputRequiredResult:
        """Wait for the end of a call. Its questions go to the client, and a long call becomes a task, if it can.

        `identity` is the key of the call, and `problem` what was wrong with the last answer.
        """
        seconds = _TASK_SECONDS if has_tasks(ctx) else None
        asked = 0
        while True:
            event = await next_event(self.engine, run_id, known=known, seconds=seconds)
            if isinstance(event, ToolResult):
                return self.answer_of(event, modern=is_modern(ctx))
            refusal = "" if event is None else event.approvers.refusal(self._user, self._person)
            if event is not None and can_ask(ctx) and not refusal:
                if is_modern(ctx):
                    state = f"{run_id} {event.id} {identity}"
                    return InputRequiredResult(input_requests={_KEY: form_of(event, problem)}, request_state=state)
                asked += 1
                form = form_of(event, problem).params
                assert isinstance(form, ElicitRequestFormParams)
                fields = None
                with suppress(CannotAsk):
                    fields = await elicited(ctx, Question(form.message, form.requested_schema))
                problem = ""
                try:
                    with suppress(MCPError):  # somebody else has answered meanwhile: the call goes on by that
                        await self.answer(run_id, event.id, fields)
                except ValueError as error:
                    problem = problem_text(error)
                if not problem or asked >= ASKED_AGAIN:
                    known.add(event.id)
            elif has_tasks(ctx):
                return {"resultType": "task", **task_of(await self.engine.info(run_id))}
            else:
                return self.answer_of(_waits(run_id, refusal), modern=is_modern(ctx))


def has_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client of a request has declared the extension of tasks with it."""
    capabilities = ctx.session.client_capabilities
    return is_modern(ctx) and capabilities is not None and TASKS in (capabilities.extensions or {})


def task_of(info: RunInfo) -> dict[str, Any]:
    """Return a call as a task that is being worked on. Runs are kept without a limit of time."""
    return {
        "taskId": info.run_id,
        "status": "working",
        "createdAt": _time(info.created),
        "lastUpdatedAt": _time(info.updated),
        "ttlMs": None,
        "pollIntervalMs": _POLL_MS,
    }


def _as_given(proposal: dict[str, Any]) -> dict[str, Any]:
    """The engine checks a proposal."""
    return proposal


def form_of(approval: Approval, problem: str = "") -> ElicitRequest:
    """Return the form in which a person answers a question of a call. `problem` stands above it."""
    asked = approval.question
    request = PermissionRequest(
        tool_name=asked["tool"],
        permission=asked["permission"],
        tags=frozenset(),
        arguments=asked["arguments"].encode(),
        meta=ToolCallMeta(ancestors=tuple(Ancestor(**each) for each in asked["ancestors"])),
        summary=asked["summary"],
        confirm=asked["confirm"],
        request=asked["request"],
        program=asked["program"],
        hosts=tuple(asked["hosts"]),
        cwd=asked["cwd"],
        env=tuple(asked["env"]),
        dangerous=asked["dangerous"],
        reasons=tuple(asked["reasons"]),
        agent=asked["agent"],
        approvers=approval.approvers if "approvers" in asked else None,
        suggested=Decision.DENY if asked["suggested"] == Decision.DENY else Decision.ALLOW_ONCE,
    )
    schema = permission_form(_CHOICES)
    message = problem + question_text(request)
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _no_such_call() -> MCPError:
    return MCPError(code=INVALID_PARAMS, message="there is no such call: make it again")


def _not_open(question: str) -> MCPError:
    message = f"{question} is no open question of this call: nothing was answered"
    return MCPError(code=INVALID_PARAMS, message=message)


def approve_hint(run_id: str) -> str:
    """Return how a person allows what a call asks, where its client cannot ask."""
    return f"it needs permission: `toolgen runs approve {run_id}` allows it"


def _waits(run_id: str, refusal: str) -> ToolResult[Any]:
    """Return the result of a call that waits for an answer which its client cannot give."""
    why = refusal or "the client cannot ask a person"
    message = (
        f"the call has not run yet, and {why}; {approve_hint(run_id)}. The same call with the "
        f"same idempotency key has its result then, and so has `toolgen runs show {run_id}`"
    )
    return failed_call(FailureKind.PERMISSION_DENIED, "waits_for_permission", message)


def _key_of(params: CallToolRequestParams) -> str:
    """Return the idempotency key that a client sent; empty if it sent none. Raises MCPError."""
    key = (params.meta or {}).get(IDEMPOTENCY_KEY, "")
    problem = text_problem(key, _LONGEST_KEY) if isinstance(key, str) else "is no string"
    if problem or not isinstance(key, str):
        message = f"`{IDEMPOTENCY_KEY}` must be a string of at most {_LONGEST_KEY} characters, and {problem}"
        raise MCPError(code=INVALID_PARAMS, message=message)
    return key


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


# The extension of tasks (SEP-2663, `io.modelcontextprotocol/tasks`): a durable call, looked at, answered, cancelled.
#
# The id of a task is that of the run of its call.


class TaskParams(RequestParams):
    """What `tasks/get` and `tasks/cancel` take."""

    task_id: str


class UpdateTaskParams(TaskParams):
    """What `tasks/update` takes: answers by the keys of their questions."""

    input_responses: InputResponses


def add_tasks(protocol: Server[Any], calls: DurableCalls) -> None:
    """Let a server answer requests about tasks."""

    async def get(ctx: ServerRequestContext[Any, Any], params: TaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        task = task_of(info)
        if info.state == "cancelled":
            return {**task, "status": "cancelled"}
        if info.state == "ended":
            result = await call_result(calls.engine, info.run_id)
            return {**task, "status": "completed", "result": calls.answer_of(result, modern=True)}
        if info.state == "failed":
            failed = await call_result(calls.engine, info.run_id)
            message = "" if failed.error is None else failed.error.message
            error = {"code": INTERNAL_ERROR, "message": message}
            return {**task, "status": "failed", "statusMessage": message, "error": error}
        asked = await calls.engine.approvals(info.run_id)
        if asked and can_ask(ctx):
            forms = {each.id: form_of(each).model_dump(mode="json", by_alias=True, exclude_none=True) for each in asked}
            return {**task, "status": "input_required", "inputRequests": forms}
        return {**task, "statusMessage": approve_hint(info.run_id)} if asked else task

    async def update(ctx: ServerRequestContext[Any, Any], params: UpdateTaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        for question, answer in params.input_responses.items():
            try:
                await calls.answer(info.run_id, question, fields_of(answer))
            except ValueError as error:
                raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        return {}

    async def cancel(ctx: ServerRequestContext[Any, Any], params: TaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        if info.state not in ("ended", "failed", "cancelled"):
            await calls.engine.cancel(info.run_id)
        return {}

    protocol.extensions[TASKS] = {}
    protocol.add_request_handler("tasks/get", TaskParams, get)
    protocol.add_request_handler("tasks/update", UpdateTaskParams, update)
    protocol.add_request_handler("tasks/cancel", TaskParams, cancel)


def _check(ctx: ServerRequestContext[Any, Any]) -> None:
    """Raises MCPError where the client has not declared the extension with the request, as it must."""
    if not is_modern(ctx):
        raise MCPError(code=METHOD_NOT_FOUND, message="tasks are of the revision 2026-07-28")
    if not has_tasks(ctx):
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message=f"the client has not declared {TASKS}",
            data={"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )
